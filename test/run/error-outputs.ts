/** What programs really say when they fail, and what class that is. `error`: one that is told by its message. */
export interface Output {
  readonly name: string;
  readonly class: string;
  readonly stderr?: string;
  readonly stdout?: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly waitsMs?: number;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const traceback = (last: string): string =>
  `Traceback (most recent call last):\n  File "/home/u/study/train.py", line 41, in <module>\n    main()\n  File "/home/u/study/train.py", line 12, in main\n    step(batch)\n${last}`;
const frames =
  '    at run (/app/src/main.js:14:11)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)';

const quotas: readonly Output[] = [
  {
    name: 'openai through Python',
    class: 'quota',
    stderr: traceback(
      "openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4o in organization org-a1 on tokens per min (TPM): Limit 30000, Used 29012, Requested 2210. Please try again in 2.444s. Visit https://platform.openai.com/account/rate-limits to learn more.', 'type': 'tokens', 'code': 'rate_limit_exceeded'}}",
    ),
    waitsMs: 2444,
  },
  {
    name: 'a plan without credit',
    class: 'quota',
    stderr: traceback(
      "openai.RateLimitError: Error code: 429 - {'error': {'message': 'You exceeded your current quota, please check your plan and billing details.', 'code': 'insufficient_quota'}}",
    ),
  },
  {
    name: 'anthropic overloaded',
    class: 'quota',
    stderr: 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  },
  {
    name: 'an agent with unix seconds',
    class: 'quota',
    stderr: 'Claude AI usage limit reached|1794884400',
    waitsMs: hour,
  },
  {
    name: 'usage limit with a date',
    class: 'quota',
    stderr: 'Error: usage limit reached, resets at 2026-11-17T03:00:00Z',
    waitsMs: hour,
  },
  {
    name: 'reset in hours and minutes',
    class: 'quota',
    stderr: 'Error: quota exceeded. Your quota will reset after 1h5m.',
    waitsMs: hour + 5 * minute,
  },
  {
    name: 'node with headers',
    class: 'quota',
    stderr: `RateLimitError: 429 status code (no body)\n${frames} {\n  status: 429,\n  headers: {\n    'retry-after': '20',\n  },\n}\n\nNode.js v20.19.0`,
    waitsMs: 20 * second,
  },
  {
    name: 'curl with headers',
    class: 'quota',
    stderr: '< HTTP/2 429\n< retry-after: 120\ncurl: (22) The requested URL returned error: 429',
    waitsMs: 2 * minute,
  },
  {
    name: 'requests',
    class: 'quota',
    stderr: traceback(
      'requests.exceptions.HTTPError: 429 Client Error: Too Many Requests for url: https://api.example.org/v1',
    ),
  },
  {
    name: 'npm',
    class: 'quota',
    stderr:
      'npm ERR! code E429\nnpm ERR! 429 Too Many Requests - GET https://registry.npmjs.org/left-pad\nnpm ERR! A complete log of this run can be found in: /root/.npm/_logs/x.log',
  },
  {
    name: 'gRPC',
    class: 'quota',
    stderr:
      "google.api_core.exceptions.ResourceExhausted: 429 RESOURCE_EXHAUSTED: Quota exceeded for metric 'requests'",
  },
  {
    name: 'a reset two days away',
    class: 'quota',
    stderr: 'Error: weekly limit reached, resets at 2026-11-19T03:00:00Z',
  },
  {
    name: 'a reset that is over',
    class: 'quota',
    stderr: 'Error: usage limit reached, resets at 2026-11-17T01:00:00Z',
  },
  {
    name: 'AWS throttling',
    class: 'quota',
    stderr:
      'An error occurred (ThrottlingException) when calling the Invoke operation: Rate exceeded, request throttled',
  },
  {
    name: 'Slurm submit limit',
    class: 'quota',
    stderr:
      'sbatch: error: AssocMaxSubmitJobLimit\nsbatch: error: Batch job submission failed: QOSMaxSubmitJobPerUserLimit',
  },
  {
    name: 'retry after an HTTP date',
    class: 'quota',
    stderr: 'Error: HTTP 429\nRetry-After: Tue, 17 Nov 2026 02:10:00 GMT',
    waitsMs: 10 * minute,
  },
];

const memory: readonly Output[] = [
  {
    name: 'torch',
    class: 'out-of-memory',
    stderr: traceback(
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 4.19 MiB is free.',
    ),
  },
  {
    name: 'older torch',
    class: 'out-of-memory',
    stderr: traceback('RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.78 GiB total capacity)'),
  },
  {
    name: 'JAX',
    class: 'out-of-memory',
    stderr: traceback(
      'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934592 bytes.',
    ),
  },
  { name: 'Python', class: 'out-of-memory', stderr: traceback('MemoryError') },
  {
    name: 'numpy',
    class: 'out-of-memory',
    stderr: traceback(
      'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 74.5 GiB for an array with shape (100000, 100000)',
    ),
  },
  {
    name: 'C++',
    class: 'out-of-memory',
    signal: 'SIGABRT',
    stderr: "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc",
  },
  {
    name: 'Node heap',
    class: 'out-of-memory',
    signal: 'SIGABRT',
    stderr: '<--- Last few GCs --->\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
  },
  {
    name: 'Java',
    class: 'out-of-memory',
    stderr: 'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n  at Main.main(Main.java:5)',
  },
  {
    name: 'the kernel, seen by a shell',
    class: 'out-of-memory',
    exitCode: 137,
    stderr: './run.sh: line 3: 51123 Killed                  python train.py',
  },
  { name: 'the kernel, without a word', class: 'out-of-memory', exitCode: 137 },
  {
    name: 'Slurm',
    class: 'out-of-memory',
    signal: 'SIGKILL',
    stderr:
      'slurmstepd: error: Detected 1 oom_kill event in StepId=1234.batch. Some of the step tasks have been OOM Killed.',
  },
  { name: 'fork', class: 'out-of-memory', stderr: 'bash: fork: Cannot allocate memory' },
  { name: 'killed without a sign', class: 'killed:SIGKILL', signal: 'SIGKILL', stderr: 'epoch 3' },
];

const passing: readonly Output[] = [
  {
    name: 'refused',
    class: 'transient',
    stderr: traceback(
      "requests.exceptions.ConnectionError: HTTPConnectionPool(host='localhost', port=8000): Max retries exceeded with url: /v1 (Caused by NewConnectionError('<urllib3.connection.HTTPConnection object at 0x7f1c>: Failed to establish a new connection: [Errno 111] Connection refused'))",
    ),
  },
  {
    name: 'reset in Node',
    class: 'transient',
    stderr: `Error: read ECONNRESET\n${frames} {\n  errno: -104,\n  code: 'ECONNRESET',\n  syscall: 'read'\n}\n\nNode.js v20.19.0`,
  },
  {
    name: 'npm without network',
    class: 'transient',
    stderr:
      'npm ERR! code EAI_AGAIN\nnpm ERR! errno EAI_AGAIN\nnpm ERR! request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org\nnpm ERR! network If you are behind a proxy, please make sure that the\nnpm ERR! A complete log of this run can be found in: /x',
  },
  {
    name: 'git over https',
    class: 'transient',
    exitCode: 128,
    stderr:
      "Cloning into 'x'...\nfatal: unable to access 'https://github.com/a/b/': Could not resolve host: github.com",
  },
  {
    name: 'git over ssh',
    class: 'transient',
    exitCode: 128,
    stderr:
      'ssh: connect to host github.com port 22: Connection timed out\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.',
  },
  {
    name: 'git cut short',
    class: 'transient',
    exitCode: 128,
    stderr: 'error: RPC failed; curl 56 GnuTLS recv error (-9)\nfatal: early EOF',
  },
  {
    name: 'curl',
    class: 'transient',
    exitCode: 7,
    stderr: 'curl: (7) Failed to connect to localhost port 8080 after 0 ms: Connection refused',
  },
  { name: 'curl DNS', class: 'transient', exitCode: 6, stderr: 'curl: (6) Could not resolve host: data.example.org' },
  {
    name: 'bad gateway',
    class: 'transient',
    stderr: traceback(
      'requests.exceptions.HTTPError: 502 Server Error: Bad Gateway for url: https://hub.example.org/m',
    ),
  },
  { name: 'unavailable', class: 'transient', stderr: 'wget: server returned error: HTTP/1.1 503 Service Unavailable' },
  { name: 'resource unavailable', class: 'transient', stderr: 'bash: fork: retry: Resource temporarily unavailable' },
  { name: 'NFS', class: 'transient', stderr: "cp: cannot stat '/nfs/data/a.bin': Stale file handle" },
  {
    name: 'pip',
    class: 'transient',
    stderr:
      "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files.pythonhosted.org', port=443): Read timed out.",
  },
  {
    name: 'name resolution',
    class: 'transient',
    stderr: 'socket.gaierror: [Errno -3] Temporary failure in name resolution',
  },
  {
    name: 'Slurm controller',
    class: 'transient',
    stderr: 'sbatch: error: Batch job submission failed: Socket timed out on send/recv operation',
  },
  {
    name: 'a node was lost',
    class: 'transient',
    signal: 'SIGTERM',
    stderr:
      'slurmstepd: error: *** JOB 991 ON gpu03 CANCELLED AT 2026-11-17T01:00:00 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***',
  },
  { name: 'tempfail', class: 'transient', exitCode: 75 },
];

const others: readonly Output[] = [
  {
    name: 'Slurm time limit',
    class: 'timeout',
    signal: 'SIGTERM',
    stderr: 'slurmstepd: error: *** JOB 991 ON gpu03 CANCELLED AT 2026-11-17T01:00:00 DUE TO TIME LIMIT ***',
  },
  { name: 'full disk in Python', class: 'disk-full', stderr: traceback('OSError: [Errno 28] No space left on device') },
  { name: 'disk quota', class: 'disk-full', stderr: "cp: error writing 'a.bin': Disk quota exceeded" },
  { name: 'full disk in Node', class: 'disk-full', stderr: `Error: ENOSPC: no space left on device, write\n${frames}` },
  {
    name: 'permission in Python',
    class: 'permission',
    stderr: traceback("PermissionError: [Errno 13] Permission denied: '/data/x'"),
  },
  {
    name: 'permission in bash',
    class: 'permission',
    exitCode: 126,
    stderr: 'bash: line 1: ./run.sh: Permission denied',
  },
  {
    name: 'git key',
    class: 'permission',
    exitCode: 128,
    stderr:
      'git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.',
  },
  {
    name: 'forbidden',
    class: 'permission',
    stderr: traceback(
      'huggingface_hub.errors.HfHubHTTPError: 403 Client Error: Forbidden for url: https://huggingface.co/m',
    ),
  },
  { name: 'command in bash', class: 'not-found', exitCode: 127, stderr: 'bash: line 1: trian: command not found' },
  { name: 'command in dash', class: 'not-found', exitCode: 127, stderr: '/bin/sh: 1: trian: not found' },
  {
    name: 'file in Python',
    class: 'not-found',
    stderr: traceback("FileNotFoundError: [Errno 2] No such file or directory: 'data/x.csv'"),
  },
  { name: 'module in Python', class: 'not-found', stderr: traceback("ModuleNotFoundError: No module named 'torch'") },
  {
    name: 'module in Node',
    class: 'not-found',
    stderr:
      "node:internal/modules/cjs/loader:1148\n  throw err;\n  ^\n\nError: Cannot find module './x'\nRequire stack:\n- /app/main.js\n    at Module._resolveFilename (node:internal/modules/cjs/loader:1145:15)\n\nNode.js v20.19.0",
  },
  {
    name: 'value in Python',
    class: 'error',
    stderr: traceback('ValueError: could not convert string to float: "abc"'),
  },
  { name: 'key in Python', class: 'error', stderr: traceback("KeyError: 'lr'") },
  {
    name: 'syntax in Python',
    class: 'error',
    stderr: '  File "train.py", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax',
  },
  { name: 'assertion', class: 'error', stderr: traceback('AssertionError') },
  {
    name: 'Node',
    class: 'error',
    stderr: `/app/main.js:3\nthrow new Error('boom');\n^\n\nError: boom\n${frames}\n\nNode.js v20.19.0`,
  },
  {
    name: 'type in Node',
    class: 'error',
    stderr: `TypeError: Cannot read properties of undefined (reading 'loss')\n${frames}`,
  },
  {
    name: 'make and gcc',
    class: 'error',
    exitCode: 2,
    stderr:
      "main.c: In function 'main':\nmain.c:3:5: error: 'x' undeclared (first use in this function)\nmake: *** [Makefile:2: main.o] Error 1",
  },
  {
    name: 'rust',
    class: 'error',
    exitCode: 101,
    stderr:
      "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3 but the index is 7\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace",
  },
  {
    name: 'segfault in a shell',
    class: 'error',
    exitCode: 139,
    stderr: 'bash: line 1: 4711 Segmentation fault      (core dumped) ./a.out',
  },
  {
    name: 'pytest on stdout',
    class: 'error',
    stdout: 'FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed, 3 passed in 0.12s',
  },
  {
    name: 'progress bar, then an error',
    class: 'error',
    stderr:
      '\r 10%|# |\r 20%|## |\r100%|##########|\nRuntimeError: mat1 and mat2 shapes cannot be multiplied (64x12 and 10x5)',
  },
  { name: 'silent exit', class: 'exit:3', exitCode: 3 },
  { name: 'segfault', class: 'killed:SIGSEGV', signal: 'SIGSEGV', stdout: 'epoch 3' },
];

export const outputs: readonly Output[] = [...quotas, ...memory, ...passing, ...others];
