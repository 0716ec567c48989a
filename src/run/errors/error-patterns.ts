import type { KnownErrorClass } from '../../model/errors/known-error-class.js';

/** Our own classes of errors as words. The first that fits the deciding line is the class. */
const patterns = {
  'out-of-memory':
    /\bout of memory\b|\bOutOfMemory|\bMemoryError\b|\bbad_alloc\b|\bheap out of memory\b|\bJava heap space\b|\bcannot allocate memory\b|\bENOMEM\b|\boom[-_ ]?kill|\b(?:un)?able to allocate [\d.]+ ?[KMGT]i?B\b|\bCUBLAS_STATUS_ALLOC_FAILED\b|\bcudaErrorMemoryAllocation\b|\bOUT_OF_MEMORY\b|\bOOM\b/i,
  'disk-full': /\bno space left on device\b|\bENOSPC\b|\bdisk quota exceeded\b|\bEDQUOT\b|\bdisk is full\b/i,
  quota:
    /\brate[-_ ]?limit(?!s?[:= ]*(?:none|off|remaining))|\bRateLimit|\btoo many requests\b|\bquota (?:was |has been |is )?(?:exceeded|exhausted|reached)|\b(?:exceeded|exhausted|over|reached) (?:\w+ ){0,4}quota\b|\binsufficient_quota\b|\bRESOURCE_EXHAUSTED\b|\b(?:usage|request|token|session|weekly|spending) limit (?:was |has been |is )?(?:reached|exceeded|hit)|\boverloaded(?:_error)?\b|\b(?:HTTP(?:\/[\d.]+)?|status(?: code)?|code|error|returned error|response)\W{0,3}(?:429|529)\b|\b(?:429|529) (?:Client Error|error|Too Many)|\bE429\b|\bthrottl(?:ed|ing)|MaxSubmitJob\w{0,20}Limit\b|\bretry-after: ?\d/i,
  timeout: /\bDUE TO TIME LIMIT\b/,
  transient:
    /\bconnection (?:was )?(?:reset|refused|aborted|closed|lost|timed out|timeout)|\bconnect(?:ion|ing)?\b.{0,60}\btimed out\b|\b(?:read|operation|request|socket) timed out\b|\b(?:Connect|Read|Connection)Timeout(?:Error)?\b|\bECONN(?:RESET|REFUSED|ABORTED)\b|\bETIMEDOUT\b|\bEAI_AGAIN\b|\bENOTFOUND\b|\bENETUNREACH\b|\bEHOSTUNREACH\b|\bUND_ERR_\w+TIMEOUT\b|\bsocket hang up\b|\bbroken pipe\b.{0,40}\bhost\b|\bcould not resolve\b|\b(?:temporary failure in|failure in) name resolution\b|\bname or service not known\b|\bnetwork is unreachable\b|\bno route to host\b|\bfailed to connect\b|\bearly EOF\b|\bremote end hung up\b|\btemporarily unavailable\b|\b(?:HTTP(?:\/[\d.]+)?|status(?: code)?|code|error|response)\W{0,3}50[234]\b|\b50[234] (?:Server Error|Bad Gateway|Service|Gateway)|\bbad gateway\b|\bservice unavailable\b|\bgateway time-?out\b|\bstale (?:NFS )?file handle\b|\bESTALE\b|\bEX_TEMPFAIL\b|\bDUE TO (?:NODE FAILURE|PREEMPTION)\b|\bremote disconnected\b|\bRemoteDisconnected\b|\bIncompleteRead\b/i,
  permission:
    /\bpermission denied\b|\bPermissionError\b|\bEACCES\b|\bEPERM\b|\boperation not permitted\b|\bread-only file system\b|\bEROFS\b|\b(?:HTTP(?:\/[\d.]+)?|status(?: code)?|code|error)\W{0,3}40[13]\b|\b40[13] (?:Client Error|Unauthorized|Forbidden)|\bauthentication failed\b|\binvalid (?:api[ _-]?key|credentials)\b/i,
  'not-found':
    /\bcommand not found\b|: not found$|\bno such file or directory\b|\bENOENT\b|\bFileNotFoundError\b|\bModuleNotFoundError\b|\bcannot find (?:module|package)\b|\bNo module named\b/i,
} as const satisfies Partial<Record<KnownErrorClass, RegExp>>;

export function knownClassOf(text: string): KnownErrorClass | undefined {
  for (const [name, pattern] of Object.entries(patterns)) if (pattern.test(text)) return name as keyof typeof patterns;
  return undefined;
}

/** The kernel leaves few words when it takes a process away for its memory; the shell above it says `Killed`. */
export const saysMemory = (text: string): boolean => patterns['out-of-memory'].test(text) || /\bKilled\b/.test(text);
