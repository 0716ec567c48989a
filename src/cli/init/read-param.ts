import { type DeclaredParam, paramValueProblems, specimenOf } from '../../config/param-values.js';
import { setLayer } from '../../config/set.js';
import type { Param } from '../../model/generated/params.js';
import { isJsonObject } from '../../model/json.js';
import { err, ok, type Result } from '../../model/result.js';

/** What somebody typed as a value of a parameter, read and checked as `--set` and the config do it. The error is in words. */
export async function readParam(name: string, param: Param, text: string): Promise<Result<unknown, string>> {
  const { layer, diagnostics } = await setLayer([`${name}=${text}`], { [name]: param.default ?? specimenOf(param) });
  const value = isJsonObject(layer?.value.vars) ? layer.value.vars[name] : undefined;
  if (diagnostics[0] || value === undefined) return err(diagnostics[0]?.message ?? `"${text}" cannot be read`);
  const declared = new Map([[name, { param, layer: nowhere }]]);
  const [wrong] = (await paramValueProblems(declared, { [name]: value })).get(name) ?? [];
  return wrong ? err(`${wrong.message}${wrong.hint === undefined ? '' : `. ${wrong.hint}`}`) : ok(value);
}

/** Only messages are wanted of it. */
const nowhere: DeclaredParam['layer'] = {
  name: '',
  document: { file: '', text: '', value: {}, locate: () => undefined },
  value: {},
};
