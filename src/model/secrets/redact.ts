const hidden = '[redacted]';

/** Keys that tell by their shape what they are: OpenAI, Anthropic, GitHub, GitLab, AWS, Google, Slack, Hugging Face, npm, JWT. */
const keys =
  /\b(?:sk-[\w-]{12,512}|gh[pousr]_\w{16,512}|github_pat_\w{16,512}|glpat-[\w-]{16,512}|A(?:KIA|SIA)[A-Z0-9]{12,512}|AIza[\w-]{20,512}|xox[a-z]-[\w-]{8,512}|hf_[A-Za-z0-9]{16,512}|npm_[A-Za-z0-9]{20,512}|eyJ[\w-]{8,8192}\.eyJ[\w-]{4,8192}\.[\w-]{1,8192})/g;

/** `Authorization: Bearer …`, and who is logged in by an address. */
const bearer = /\b(Bearer|Basic|Token) +(?!\[redacted\])[\w.~+/=-]{8,8192}/gi;
const address = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:)(?!\[redacted\])[^\s/@]{1,200}(?=@)/gi;

/** `HF_TOKEN=…`, `"api_key": "…"`, `password: …`. A token or a key alone is a common word and needs an equals sign. */
const assigned =
  /((?:[\w-]{0,60}[_-](?:key|token|secret|password|passwd|pwd|credentials?)|api-?key|password|passwd|secret)\\?["']? ?[=:] ?|\b(?:token|key) ?= ?)(?!\[redacted\])(\\?"[^"\n]*"|\\?'[^'\n]*'|[^\s,;&"')}]+)/gi;

/** The text without what looks like a key or a password. Logs are shared, and read by agents. */
export function redact(text: string): string {
  return text
    .replace(keys, hidden)
    .replace(bearer, `$1 ${hidden}`)
    .replace(address, `$1${hidden}`)
    .replace(assigned, `$1${hidden}`);
}
