import type { JsonObject } from '../model/json.js';
import { err, ok, type Result } from '../model/result.js';

export interface Chart {
  readonly svg: string;
  /** What the library had to say about the specification. */
  readonly warnings: readonly string[];
}

/**
 * A Vega-Lite specification as SVG: the same bytes for the same specification, wherever and whenever it is drawn. The one
 * door to Vega. It reads no file and no address, and expressions are interpreted, never made code.
 */
export async function drawChart(spec: JsonObject): Promise<Result<Chart, string>> {
  const [vega, lite, interpreter] = await Promise.all([
    import('vega'),
    import('vega-lite'),
    import('vega-interpreter'),
  ]);
  const warnings: string[] = [];
  const logger = listener(warnings);
  try {
    vega.resetSVGDefIds();
    const { setRandom, randomLCG } = vega as unknown as Randomness;
    setRandom(randomLCG(1));
    const compiled = lite.compile(spec as never, { logger: logger as never }).spec;
    const view = new vega.View(vega.parse(compiled, undefined, { ast: true } as never), {
      renderer: 'none',
      expr: interpreter.expressionInterpreter,
      loader: noLoader as never,
      logger: logger as never,
    } as never);
    const svg = await view.toSVG();
    view.finalize();
    return problemIn(warnings) ?? ok({ svg: `${svg}\n`, warnings });
  } catch (error) {
    return err((error as Error).message);
  }
}

/** What the library only warns of although nothing right can come of it. */
function problemIn(warnings: readonly string[]): Result<never, string> | undefined {
  const serious = warnings.find((text) => /^ERROR/.test(text));
  return serious === undefined ? undefined : err(serious.replace(/^ERROR:? ?/, ''));
}

const refuse = async (): Promise<never> => {
  throw new Error('a chart reads nothing by itself: give it its data');
};
const noLoader = { load: refuse, sanitize: refuse, http: refuse, file: refuse, options: {} };

/** Keeps what is said instead of printing it. */
function listener(warnings: string[]): object {
  const say =
    (prefix: string) =>
    (...words: readonly unknown[]): object => {
      warnings.push(`${prefix}${words.map(String).join(' ')}`);
      return logger;
    };
  const nothing = (): object => logger;
  const logger = { level: nothing, error: say('ERROR: '), warn: say(''), info: nothing, debug: nothing };
  return logger;
}

/** Not in the library's types. */
interface Randomness {
  setRandom(random: () => number): void;
  randomLCG(seed: number): () => number;
}
