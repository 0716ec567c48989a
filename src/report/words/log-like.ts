/** Names that people give to what a run prints. */
const logLike =
  /(^|\/)([^/]*\.(log|out)|nohup[^/]*|(run|exec|stdout|stderr|output|console)[^/]*\.(txt|jsonl?|md)|[^/]*log\.\w+)$/i;

/**
 * What a program such as `tee` writes for whoever started the run looks like the work of an agent, because it comes at the same time. A file that
 * we print into ourselves is known. Nothing where no file is called like a log.
 */
export function logHint(files: readonly string[]): string {
  return files.some((file) => logLike.test(file))
    ? '; a log of this run that tee or the like writes into the project looks the same: write it outside of the project, or with autoresearch exec > FILE, which is known'
    : '';
}
