export const slope = 1;
export const offset = 0;

export const predict = (x) => slope * x + offset;
