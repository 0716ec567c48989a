// The first file Node reads. `--version` is answered here, before anything else is loaded.
declare const __VERSION__: string;

const first = process.argv[2];
if (first === '--version' || first === '-V') process.stdout.write(`${__VERSION__}\n`);
else {
  require('./code-cache.cjs').loadCompiled();
  require('./cli.cjs');
}
