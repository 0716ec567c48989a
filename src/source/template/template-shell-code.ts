/**
 * Follows the words of one simple command and says where a value would be read as code by somebody else: what is quoted for
 * this shell is not quoted for the one that `bash -c` or `ssh` starts, nor for Python.
 */
export class CodeWords {
  /** The option after which the next word is code, by who was named last. */
  #options: RegExp | undefined;
  #program = '';
  /** Where a value would stand now, if that is inside of code. */
  where: string | undefined;
  #lasts = false;

  /** A word has ended; parts of it that are quoted or expanded are unknown. */
  word(word: string): void {
    if (this.where !== undefined) {
      if (!this.#lasts) this.where = undefined;
      return;
    }
    const name = word.slice(word.lastIndexOf('/') + 1);
    const options = Object.hasOwn(interpreters, name) ? interpreters[name] : undefined;
    if (everyWord.has(name)) this.#begin(`after \`${name}\`, which hands it to another shell`, true);
    else if (options) [this.#program, this.#options] = [name, options];
    else if (this.#options?.test(word)) {
      this.#begin(`in code for \`${this.#program} ${word}\``, false);
      this.#options = undefined;
    }
  }

  /** The next command begins. */
  end(): void {
    this.#options = undefined;
    this.where = undefined;
    this.#lasts = false;
  }

  #begin(where: string, lasts: boolean): void {
    this.where = where;
    this.#lasts = lasts;
  }
}

const shellOption = /^-[a-z]*c$/;
const evalOption = /^(?:-[a-z]*[ep]|--eval|--print)$/i;

/** Programs that take code as an argument, and the option that it follows. */
const interpreters: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'su'].map((name) => [name, shellOption])),
  ...Object.fromEntries(['python', 'python2', 'python3'].map((name) => [name, shellOption])),
  ...Object.fromEntries(['node', 'perl', 'ruby', 'Rscript', 'julia'].map((name) => [name, evalOption])),
};

/** They put their words together and let a shell read them. */
const everyWord = new Set(['ssh', 'watch', 'trap']);
