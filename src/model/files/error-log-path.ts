/** Where failed attempts are told, relative to the project folder. Nobody's input or result unless it is named. */
export const errorLog = 'logs/errors.log';
