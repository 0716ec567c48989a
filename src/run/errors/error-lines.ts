/** Words with which programs say that something went wrong. Errors that are measured are not errors. */
const errorWords =
  /(?:\b(?:error|errors|fatal|exception|panic|panicked|failed|failure|aborted|abort|cannot|can't|unable to|denied|killed|segmentation fault)\b|\w(?:Error|Exception|Fault)\b)/i;
const errorCode = /\bE[A-Z]{4,}\b/;
const measured =
  /\b(?:0|no|without) (?:errors?|failures?|failed)\b|\berror[ _-](?:rate|bars?|margin|estimate)|\b(?:squared|absolute|relative|mean|test|train|training|validation|val|standard|word|top-?\d) (?:\w+ )?error\b|\berrors?[:=] ?0\b/i;

/** A log line of a program that goes on: it tells, it does not complain. */
const merelyLogged =
  /^\W{0,2}(?:[\d\-:.,TZ/ ]{5,32}\W{0,3})?(?:\w+[:.] ?)?\W?(?:trace|debug|info|notice|warn|warning)\b|"level": ?"(?:trace|debug|info|notice|warn|warning)"|\bretrying\b|\bwill retry\b|\[(?:I|D|W|INFO|DEBUG|WARN|WARNING)\b/i;

/** Quoted text: markdown, comments, differences, listings with line numbers, hits of a search, and lines of code. */
const quoted =
  /^(?:[>|#*•`]|\/\/|\/\*|<!--|--? |\+(?!\+ ?exec)|@@ |\d+[:|)] |\d+\. |\d{1,6} {2}|[\w./-]+\.\w{1,8}[:-]\d+[:-])|^(?:raise|throw|except|catch|return|if|elif|else|assert|def|class|const|let|var|import|from|for|while|async|await|export|function|echo|print\w*|console\.\w+)\b(?!:)|^[\w.]+ ?(?:=|\+=)|[`“”].*[`“”]|^(?:when|whenever|unless|in case)\b|^[^.]{0,80}\b(?:if|e\.g|for example|such as|means that|todo)\b/i;

/** Says that something under it failed, not what; or says nothing at all. */
const wrapper =
  /^(?:g?make(?:\[\d+\])?: \*\*\*|Node\.js v\d|ninja: build stopped|collect2: error|error Command failed|Error: Command failed|error: Recipe `|Error: Process completed with exit code|(?:srun|slurmstepd): error: .*(?:Exited with exit code|task \d+: (?:Exited|Killed|Terminated))|srun: Terminating|srun: Job step aborted|The above exception|During handling of|Traceback \(most|npm (?:ERR!|error) (?:A complete log|\s*\/|path |errno |command |Lifecycle|Exit status)|fatal: Could not read from remote repository|Please make sure you have the correct|and the repository exists|[-=_*~ ]+$|[{}[\]()]+[,;]?$|\w*[Ee]xit (?:status|code):? \d+$|ELIFECYCLE|[\w./ -]*FAILED$|(?:[\w.]+\.)?(?:ChildFailedError|CalledProcessError)\b|note: run with `RUST_BACKTRACE|For more information)/;

export const looksWrong = (line: string): boolean =>
  (errorWords.test(line) || errorCode.test(line)) && !measured.test(line) && !merelyLogged.test(line);
export const isWrapper = (line: string): boolean => wrapper.test(line);
export const isIndented = (line: string): boolean => /^\s/.test(line);
export const isQuoted = (line: string): boolean => quoted.test(line);
export const isMerelyLogged = (line: string): boolean => merelyLogged.test(line);
const isFrame = (line: string): boolean => /^ +at /.test(line);

/**
 * The line that says best what went wrong: the end of a Python traceback, the head of a stack of frames, npm's code, else
 * the first line with an error in it, else the last one.
 */
export function tellingLine(stderr: readonly string[], stdout: readonly string[]): string | undefined {
  return (
    exceptionOf(stderr) ??
    stderr.find((line) => /^npm (?:ERR!|error) code /.test(line)) ??
    stderr.findLast((line, index) => isFrame(stderr[index + 1] ?? '') && !isFrame(line) && !isIndented(line)) ??
    stderr.find((line) => looksWrong(line) && !isWrapper(line)) ??
    stderr.findLast((line) => !isWrapper(line)) ??
    stderr.at(-1) ??
    exceptionOf(stdout) ??
    stdout.at(-1)
  );
}

/** At most so many lines around the one that says best what went wrong. */
export function tellingLines(lines: readonly string[], most: number): readonly string[] {
  const line = tellingLine(lines, []);
  const at = line === undefined ? 0 : lines.lastIndexOf(line);
  // More of what led to it than of what came after.
  const first = Math.max(0, Math.min(at - Math.ceil(most / 2), lines.length - most));
  return lines.slice(first, first + most);
}

/** What the last traceback ends with, unless it only says that a child of it failed. */
function exceptionOf(lines: readonly string[]): string | undefined {
  let found: string | undefined;
  for (const [index, line] of lines.entries()) {
    if (!/^Traceback \(most recent call last\):/.test(line)) continue;
    const exception = lines.slice(index + 1).find((next) => !isIndented(next));
    if (exception !== undefined && (found === undefined || !isWrapper(exception))) found = exception;
  }
  return found;
}
