/**
 * Whether a variable of this name is likely to hold a secret. What is wrongly taken for one has to be named in `passEnv`;
 * what is wrongly not taken for one would be seen, so the doubtful ones count.
 */
export function looksSecret(name: string): boolean {
  if (folders.has(name)) return false;
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((word) => word !== '' && !/^\d+$/.test(word));
  if (words.some((word) => tellsAnywhere.test(word))) return true;
  if (words.some((word, index) => /^KEYS?\d*$/.test(word) && beforeKey.test(words[index - 1] ?? ''))) return true;
  const last = words.at(-1) ?? '';
  return tellsAtEnd.test(last) && !partitionKey.test(last);
}

/** Where a shell is and was, which only look like passwords. */
const folders: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);

/** As a word of its own, so not TOKENIZERS or SECRETARY; several tokens are what models count. */
const tellsAnywhere =
  /^(?:SECRETS?|TOKEN|PASSWORDS?|PASSWD|PASSPHRASE|CREDENTIALS?|CREDS|APIKEYS?|ACCESSKEYS?|JWT|COOKIES?)\d*$/;

/** `AWS_ACCESS_KEY_ID`, `API_KEY_OF_BOB`. A key alone in the middle says little: KEY_BINDINGS. */
const beforeKey = /^(?:API|ACCESS|PRIVATE|SECRET|SIGNING|ENCRYPTION|MASTER|AUTH|SHARED)$/;

/** Also glued to what comes before: PGPASSWORD, OPENAIKEY. `AUTH` counts only here, so SSH_AUTH_SOCK, a path, does not. */
const tellsAtEnd = /(?:KEYS?|TOKEN|SECRETS?|PASSWORD|PASSWD|PWD|CREDENTIALS?|AUTH|^PASS|^PAT)\d*$/;

/** A number that names a part of an InfiniBand network: NCCL_IB_PKEY. */
const partitionKey = /^PKEY$/;

/** The login in each address of a value: `me:hunter2` of `http://me:hunter2@proxy:3128`. Empty for a bare user of ssh. */
export function loginsIn(value: string): readonly string[] {
  return [...value.matchAll(login)].flatMap(([, scheme = '', who = '']) =>
    who.includes(':') || /^https?$/i.test(scheme.replace(/^.*\+/, '')) ? [who] : [],
  );
}

/** To the last `@` before the path, because passwords have them too. */
const login = /\b([a-z][a-z0-9+.-]{0,20}):\/\/([^\s/?#]{1,2000})@/gi;
