export const limits = { perDay: 10 };
