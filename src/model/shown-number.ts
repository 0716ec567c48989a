/** A number as people read it: six digits that count. */
export const shownNumber = (value: number): string => String(Number(value.toPrecision(6)));
