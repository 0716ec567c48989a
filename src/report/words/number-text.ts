/** Five digits that count, and a minus that is one: beside charts and sentences a hyphen would be a second kind. */
export const shortText = (value: number): string => trueMinus(String(Number(value.toPrecision(5))));

/** `+0.1` or `−0.1`, for what is a difference. */
export const signedText = (value: number): string => (value < 0 ? shortText(value) : `+${shortText(value)}`);

export const percentText = (share: number | null): string =>
  share === null ? 'stated' : `${Number((share * 100).toPrecision(4))} %`;

/** The hyphen before a number that stands for itself becomes a minus; those of names, dates and options stay. */
export const trueMinus = (text: string): string =>
  text.includes('-') ? text.replace(/(?<![^\s(=:])-(?=\d[\d.]*(?:e[-+]?\d+)?(?![\w-]))/g, '−') : text;
