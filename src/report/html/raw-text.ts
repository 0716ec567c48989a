/** A line of a file as a page shows it: how it begins. */
export const cutLine = (text: string): string => (text.length > mostChars ? `${text.slice(0, mostChars)}…` : text);
const mostChars = 300;
