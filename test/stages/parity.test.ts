import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromJson } from '../../src/values/from-data.js';
import { bare } from '../../src/values/plain-texts.js';
import parity from '../../stages/parity/index.js';
import type { ParityOptions } from '../../stages/parity/options.js';
import { means } from '../../stages/parity/params.js';
import { same } from '../../stages/parity/value.js';
import { stageContract } from './contract.js';
import { realContext } from './real-context.js';
import { plainFacts } from './recording-context.js';

const files = { 'a.json': '{"lr": 0.0003, "seed": 1}', 'b.json': '{"lr": 3e-4, "seed": 1}' };
const arms = { a: 'a.json', b: 'b.json' };

stageContract('parity', {
  examples: [
    { options: { check: 'x', arms, params: ['lr', 'seed'] }, world: { files } },
    { options: { check: 'x', arms, params: ['lr'], except: { seed: 'why not' }, to: 'parity.md' }, world: { files } },
    {
      options: { check: 'x', arms: { a: { run: 'print-config' }, b: 'b.json' }, params: ['lr'] },
      world: { files, prints: () => ({ stdout: '{"lr": 0.0003}' }) },
    },
    {
      options: { check: 'x', arms: { a: 'a.py', b: 'b.json' }, params: ['lr'] },
      world: { files, prints: () => ({ stdout: '{"values": {"lr": 0.0003}}' }) },
    },
  ],
  refused: [
    {},
    { check: 'x', arms, params: [] },
    { check: 'x', arms: { a: 'a.json' }, params: ['lr'] },
    { check: 'x', arms, params: ['lr'], except: { lr: '' } },
    { check: 'x', arms, params: ['lr'], except: { lr: ' ' } },
    { check: 'x', arms, params: ['lr'], except: ['lr'] },
    { check: 'x', arms: { ...arms, c: { file: 'c.ini', format: 'ini' } }, params: ['lr'] },
    { check: 'x', arms: { ...arms, c: { file: 'c.py', run: 'x' } }, params: ['lr'] },
  ],
});

type Files = Readonly<Record<string, string>>;

const check = async (given: Partial<ParityOptions> & Pick<ParityOptions, 'arms' | 'params'>, written: Files) => {
  const context = realContext(written);
  const result = await parity.run({ check: 'x', ...given } as ParityOptions, context);
  return { result, context, lines: result.ok ? [] : 'lines' in result.failure ? result.failure.lines : [] };
};

/** Two arms of one form; the names `x`, `y`… are compared. */
const two = (ending: string, a: string, b: string, params: readonly string[] = ['x']) =>
  check(
    { arms: { a: `a.${ending}`, b: `b.${ending}` }, params: [...params] },
    { [`a.${ending}`]: a, [`b.${ending}`]: b },
  );

describe('equal', () => {
  test.each([
    ['json', '{"x": 3e-4}', '{"x": 0.0003}'],
    ['json', '{"x": 42}', '{"x": 42.0}'],
    ['json', '{"x": null}', '{"x": null}'],
    ['json', '{"x": {"deep": [1, {"b": 2, "a": 1}]}}', '{"x": {"deep": [1, {"a": 1, "b": 2}]}}'],
    ['json', '{"x": "é"}', '{"x": "\\u00e9"}'],
    ['yaml', 'x: 3e-4', 'x: 0.0003'],
    ['yaml', 'base: &b { lr: 1 }\nx: *b', 'x: { lr: 1 }'],
    ['toml', 'x = 3e-4', 'x = 0.0003'],
    ['toml', 'x = { rank = 8 }', '[x]\nrank = 8'],
    ['env', 'x=3e-4', 'export x = 0.0003 # a comment'],
    ['env', "x='a b'", 'x="a b"'],
    ['py', 'x = 3e-4', 'x = 3 * 10 ** -4 if False else 0.0003'],
    ['py', 'x = 2 ** 60 + 1', 'x = 1152921504606846977'],
    ['py', 'x = (1, 2)', 'x = [1, 2]'],
    ['py', "print('noise')\nx = 1", "import sys; sys.stdout.write('{}')\nx = 1"],
  ])('%s: %s and %s', async (ending, a, b) => {
    expect((await two(ending, a, b)).result).toMatchObject({ ok: true });
  });
});

describe('never equal', () => {
  test.each([
    ['json', '{"x": 42}', '{"x": "42"}', 'x: 42 in a, "42" in b (a number and text are never equal)'],
    ['json', '{"x": true}', '{"x": 1}', 'x: true in a, 1 in b (true or false and a number are never equal)'],
    ['json', '{"x": null}', '{}', 'x: null in a, (missing) in b (missing in b)'],
    ['json', '{}', '{"x": 0}', 'x: (missing) in a, 0 in b (missing in a)'],
    ['json', '{}', '{}', 'x: (missing) in a, (missing) in b (no arm has it)'],
    ['json', '{"x": [1, 2]}', '{"x": [2, 1]}', 'x: [1, 2] in a, [2, 1] in b (different values)'],
    [
      'json',
      '{"x": "constructor"}',
      '{"x": "Constructor"}',
      'x: "constructor" in a, "Constructor" in b (different values)',
    ],
    ['yaml', 'x: 42', 'x: "42"', 'x: 42 in a, "42" in b (a number and text are never equal)'],
    ['toml', 'x = nan', 'x = nan', 'x: NaN in a, NaN in b (NaN is no value)'],
    ['env', 'x=42', 'x="42"', 'x: 42 in a, "42" in b (a number and text are never equal)'],
    [
      'env',
      'x=$Y',
      'x=$Y',
      'x: (a reference to a variable) in a, (a reference to a variable) in b (it has no value that could be compared)',
    ],
    ['py', "x = float('nan')", "x = float('nan')", 'x: NaN in a, NaN in b (NaN is no value)'],
    ['py', "x = [1, float('nan')]", "x = [1, float('nan')]", 'x: [1, NaN] in a, [1, NaN] in b (NaN is no value)'],
    ['py', 'x = 42', "x = '42'", 'x: 42 in a, "42" in b (a number and text are never equal)'],
    [
      'py',
      'x = 2 ** 60',
      'x = 2 ** 60 + 1',
      'x: 1152921504606846976 in a, 1152921504606846977 in b (different values)',
    ],
    [
      'py',
      'x = 2.0 ** 60',
      'x = 2 ** 60 + 1',
      'x: 1152921504606847000 in a, 1152921504606846977 in b (different values)',
    ],
    [
      'py',
      'x = object()',
      'x = object()',
      'x: (a builtins.object) in a, (a builtins.object) in b (it has no value that could be compared)',
    ],
    ['py', '_x = 1', '_x = 1', 'x: (missing) in a, (missing) in b (no arm has it)'],
    ['py', 'def x(): return 1', 'def x(): return 1', 'x: (missing) in a, (missing) in b (no arm has it)'],
  ])('%s: %s and %s', async (ending, a, b, line) => {
    const { result, lines } = await two(ending, a, b);
    expect(result).toMatchObject({ ok: false, failure: { code: 'parity-broken', checked: 1 } });
    expect(lines).toEqual([line]);
  });
});

describe('what cannot be read is a failure by the name of its file', () => {
  test.each([
    ['json', '{"x": NaN}', 'expected a value, but found "NaN"'],
    ['json', '{"x": 1, "x": 2}', 'the key "x" is written twice'],
    ['json', '[1]', 'it holds no names with values'],
    ['json', '', 'expected a value, but the file ends'],
    ['json', '{"x": 9007199254740993}', 'x is 9007199254740993, which is too large to be kept exactly'],
    ['json', '{"x.y": 1, "x": {"y": 2}}', 'two of its values are called x.y'],
    ['yaml', 'x: 1\nx: 2', 'the key "x" is written twice'],
    ['yaml', 'a: 00\nx: 010 # ten, or eight?', 'line 2: 010 is octal to some readers of YAML and decimal to others'],
    ['toml', 'x = ', 'TOMLDecodeError: Invalid value (at end of document)'],
    ['env', 'x: 1', 'line 1 is not NAME=value'],
    ['env', 'x=1\nx=2', 'line 2 sets x again'],
    ['env', 'x="1', 'line 1 is not NAME=value'],
    ['py', 'x = (', "line 1: SyntaxError: '(' was never closed (a.py, line 1)"],
    ['py', 'y = 1\nx = z', "line 2: NameError: name 'z' is not defined"],
    ['py', 'import nowhere_to_be_found', "line 1: ModuleNotFoundError: No module named 'nowhere_to_be_found'"],
    ['py', 'x = 1\nraise SystemExit(0)', 'line 2: SystemExit: 0'],
    ['py', 'x = 1\nimport os\nos._exit(0)', 'loading it ended without an answer'],
    ['py', 'x = []\nx.append(x)', 'its values are nested too deep'],
  ])('%s: %s', async (ending, text, why) => {
    const { result } = await two(ending, text, text);
    expect(result).toMatchObject({ ok: false, failure: { code: 'behaviour-failed' } });
    const { detail } = (result as { failure: { detail: string } }).failure;
    expect(detail).toBe(`a (a.${ending}): ${why}; b (b.${ending}): ${why.replace('(a.py', '(b.py')}`);
  });
});

describe('Python configs as people write them', () => {
  const nanoGpt = `
import time
out_dir = 'out-shakespeare-char'
eval_interval = 250 # keep frequent because we'll overfit
wandb_run_name = 'mini-gpt-' + str(time.time())
dataset = 'shakespeare_char'
batch_size = 64
block_size = 256
learning_rate = 1e-3
max_iters = 5000
min_lr = learning_rate / 10
beta2 = 0.99
dropout = 0.2
`;
  test('nanoGPT: module-level names, some of which are worked out', async () => {
    const params = ['batch_size', 'block_size', 'learning_rate', 'min_lr', 'beta2', 'max_iters'];
    expect((await two('py', nanoGpt, nanoGpt, params)).result).toEqual({
      ok: true,
      summary: '6 parameters are equal',
      product: expect.any(String),
    });
    const { lines } = await two('py', nanoGpt, nanoGpt.replace('1e-3', '1.1e-3'), params);
    expect(lines).toEqual([
      'learning_rate: 0.001 in a, 0.0011 in b (different values)',
      'min_lr: 0.0001 in a, 0.00011 in b (different values)',
    ]);
  });

  const typed = `
from __future__ import annotations
import enum, pathlib, argparse, collections
from dataclasses import dataclass, field
class Loss(enum.Enum):
    GRPO = 'grpo'
@dataclass
class Lora:
    rank: int = 8
    targets: list[str] = field(default_factory=lambda: ['q', 'v'])
    loss: Loss = Loss.GRPO
@dataclass
class Train:
    lr: float = 3e-4
    lora: Lora = field(default_factory=Lora)
config = Train()
class Old:
    STEPS = 5
    def helper(self): ...
class Older(Old):
    SEED = 1
args = argparse.Namespace(gpus=8)
Point = collections.namedtuple('Point', 'x y')
point = Point(1, 2)
path = pathlib.Path('runs') / 'a'
CONFIG = {'model': {'name': 'm'}, 3: 'three'}
`;
  const names = ['config', 'Train.lr', 'Older.*', 'args.gpus', 'point', 'path', 'CONFIG'];

  test('dataclasses, classes of constants, namespaces, named tuples, dicts', async () => {
    const { result, context } = await two('py', typed, typed, names);
    expect(result).toMatchObject({ ok: true, summary: '13 parameters are equal' });
    expect(context.lines()).toEqual([
      '   parameter            a           b',
      '=  config.lora.loss     "grpo"      "grpo"',
      '=  config.lora.rank     8           8',
      '=  config.lora.targets  ["q", "v"]  ["q", "v"]',
      '=  config.lr            0.0003      0.0003',
      '=  Train.lr             0.0003      0.0003',
      '=  Older.SEED           1           1',
      '=  Older.STEPS          5           5',
      '=  args.gpus            8           8',
      '=  point.x              1           1',
      '=  point.y              2           2',
      '=  path                 "runs/a"    "runs/a"',
      '=  CONFIG.3             "three"     "three"',
      '=  CONFIG.model.name    "m"         "m"',
    ]);
  });

  test('a default that only one arm overrides is found inside of a dataclass', async () => {
    const { lines } = await two('py', typed, typed.replace('config = Train()', 'config = Train(lr=1e-3)'), names);
    expect(lines).toEqual(['config.lr: 0.0003 in a, 0.001 in b (different values)']);
  });

  test('a field that everybody has to fill in has no value, and is not left out of its group', async () => {
    const open = 'from dataclasses import dataclass\n@dataclass\nclass Train:\n  lr: float\n  steps: int = 5\n';
    const { lines } = await two('py', open, open, ['Train.*']);
    expect(lines).toEqual([
      'Train.lr: (a field without a default) in a, (a field without a default) in b (it has no value that could be compared)',
    ]);
  });

  test('what a dataclass works out of its own defaults counts, not what is written there', async () => {
    const plain = 'from dataclasses import dataclass\n@dataclass\nclass Train:\n  lr: float = 1e-3\n';
    const scaled = `${plain}  def __post_init__(self):\n    self.lr *= 8\n`;
    const { lines } = await two('py', plain, scaled, ['Train.lr']);
    expect(lines).toEqual(['Train.lr: 0.001 in a, 0.008 in b (different values)']);
    const picky = `${plain}  def __post_init__(self):\n    raise ValueError('no')\n`;
    expect((await two('py', plain, picky, ['Train.lr'])).result).toMatchObject({ ok: true });
  });

  test('an object of a class that the file itself has: what it was given, over what its class says', async () => {
    const object = (lr: string) =>
      `class Config:\n  steps = 5\n  lr = 1\n  def __init__(self):\n    self.lr = ${lr}\nconfig = Config()\n`;
    const params = ['config.lr', 'config.steps'];
    expect((await two('py', object('3e-4'), object('0.0003'), params)).result).toMatchObject({ ok: true });
    const { lines } = await two('py', object('1'), object('2'), params);
    expect(lines).toEqual(['config.lr: 1 in a, 2 in b (different values)']);
  });

  test('a function that returns the values, and one that prints them', async () => {
    const { result } = await check(
      { arms: { a: { file: 'a.py', call: 'get_config' }, b: { file: 'b.py', call: 'main' } }, params: ['lr', 'n'] },
      {
        'a.py': 'N = 2\ndef get_config():\n  print("building")\n  return dict(lr=3e-4, n=N)\n',
        'b.py': 'import json\ndef main():\n  print(json.dumps({"lr": 0.0003, "n": 2}))\n',
      },
    );
    expect(result).toMatchObject({ ok: true });
  });

  test('a function that is not there, or gives nothing', async () => {
    const { result } = await check(
      { arms: { a: { file: 'a.py', call: 'nope' }, b: { file: 'a.py', call: 'quiet' } }, params: ['lr'] },
      { 'a.py': 'def quiet(): pass\n' },
    );
    expect(result).toMatchObject({
      failure: {
        detail:
          'a (a.py): it has no function nope; b (a.py): quiet() neither returns values nor prints JSON: Expecting value: line 1 column 1 (char 0)',
      },
    });
  });

  test('what a config imports from beside it is found, and a change there is a difference', async () => {
    const written = {
      'one/a.py': 'from common import LR\n',
      'one/common.py': 'LR = 1\n',
      'two/a.py': 'from common import LR\n',
      'two/common.py': 'LR = 2\n',
    };
    const { lines } = await check({ arms: { a: 'one/a.py', b: 'two/a.py' }, params: ['LR'] }, written);
    expect(lines).toEqual(['LR: 1 in a, 2 in b (different values)']);
  });
});

describe('a Python config cannot', () => {
  test('reach the network, also not by a program', async () => {
    let calls = 0;
    const server = createServer((socket) => {
      calls += 1;
      socket.end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    try {
      const direct = await two('py', `import socket\nsocket.create_connection(('127.0.0.1', ${port}))\nx = 1`, 'x = 1');
      expect(direct.result).toMatchObject({
        failure: {
          detail: 'a (a.py): line 2: PermissionError: a config must not use the network (socket.getaddrinfo)',
        },
      });
      await two(
        'py',
        `import subprocess\nsubprocess.run(['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/${port}'])\nx = 1`,
        'x = 1',
      );
    } finally {
      await new Promise((done) => server.close(done));
    }
    expect(calls).toBe(0);
  });

  test('stand in for a module of the loader, nor leave bytecode behind', async () => {
    const { result, context } = await check(
      { arms: { a: 'a.py', b: 'b.py' }, params: ['x'] },
      { 'a.py': 'import other\nx = 1', 'b.py': 'x = 2', 'other.py': '', 'json.py': 'def dumps(*a, **k): return "{}"' },
    );
    expect(result).toMatchObject({ ok: false, failure: { code: 'parity-broken' } });
    expect(existsSync(join(context.dir, '__pycache__'))).toBe(false);
  });

  test('answer instead of the loader by printing', async () => {
    const { lines } = await two('py', 'print(\'{"values": {"x": 2}}\', flush=True)\nx = 1', 'x = 2');
    expect(lines).toEqual(['x: 1 in a, 2 in b (different values)']);
  });

  test('put into the log what nobody asked for', async () => {
    const { context } = await two('py', 'x = 1\nAPI_KEY = "hunter2"', 'x = 1');
    expect(JSON.stringify(context.effects)).not.toContain('hunter2');
  });
});

describe('commands and command lines', () => {
  test('a command that prints JSON; one that prints something else, or fails', async () => {
    const say = (text: string) => ({ a: { run: `echo '${text}'` }, b: { run: `echo '{"x": 1}'` } });
    expect((await check({ arms: say('{"x": 1.0}'), params: ['x'] }, {})).result).toMatchObject({ ok: true });
    const { result } = await check({ arms: say('ok {"x": 1}'), params: ['x'] }, {});
    expect(JSON.stringify(result)).toContain('a (echo \'ok {\\"x\\": 1}\'): it prints no JSON: ');
    const failing = await check({ arms: { a: { run: 'exit 3' }, b: { run: 'exit 4' } }, params: ['x'] }, {});
    expect(failing.result).toEqual({ ok: false, failure: { code: 'command-failed', exitCode: 3 } });
  });

  test('a part of a larger file', async () => {
    const arm = (file: string) => ({ file, at: 'trainer.args' });
    const given = { arms: { a: arm('a.json'), b: arm('b.yaml') }, params: ['lr'] };
    const yaml = 'trainer: { args: { lr: 1 } }';
    const good = await check(given, { 'a.json': '{"trainer": {"args": {"lr": 1}}}', 'b.yaml': yaml });
    expect(good.result).toMatchObject({ ok: true });
    const bad = await check(given, { 'a.json': '{"trainer": 1}', 'b.yaml': yaml });
    expect(bad.result).toMatchObject({ failure: { detail: 'a (a.json): it has no trainer.args' } });
  });

  const argv = (file: string) => ({ file, format: 'argv' as const });
  const jobs = { arms: { a: argv('a'), b: argv('b') } };

  test('the captured command line and environment of a job', async () => {
    const a = 'python train.py --lr=3e-4 --bf16 --warmup -1 optimizer.name=adam --note "two words"\n';
    const b = JSON.stringify({
      command: [
        'python',
        'train.py',
        '--lr',
        '0.0003',
        '--bf16',
        '--warmup=-1',
        'optimizer.name=adam',
        '--note',
        'two words',
      ],
    });
    const params = ['lr', 'bf16', 'warmup', 'optimizer.name', 'note'];
    expect((await check({ ...jobs, params }, { a, b })).result).toMatchObject({ ok: true });
    const other = b.replace('"--bf16",', '');
    expect((await check({ ...jobs, params }, { a, b: other })).lines).toEqual([
      'bf16: true in a, (missing) in b (missing in b)',
    ]);
  });

  test('a variable of the environment, an option given twice, words between NULs', async () => {
    const job = (seed: string, ...words: string[]) => JSON.stringify({ command: words, env: { SEED: seed } });
    const { lines } = await check(
      { ...jobs, params: ['env.SEED', 'lr'] },
      { a: job('1', '--lr', '1', '--lr', '2'), b: job('2', '--lr', '2') },
    );
    expect(lines).toEqual([
      'env.SEED: 1 in a, 2 in b (different values)',
      'lr: [1, 2] in a, 2 in b (a list and a number are never equal)',
    ]);
    const nul = await check({ ...jobs, params: ['lr'] }, { a: 'train\0--lr\x002\0', b: 'train --lr 2' });
    expect(nul.result).toMatchObject({ ok: true });
  });
});

describe('groups and exceptions', () => {
  const written = {
    'a.json': '{"lora": {"rank": 8, "alpha": 16}, "env": "debate"}',
    'b.json': '{"lora": {"rank": 8}, "env": "plain"}',
  };

  test('an empty map is not the same as a full one', async () => {
    const { lines } = await two('json', '{"x": {}}', '{"x": {"a": 1}}');
    expect(lines).toEqual(['x: {} in a, (missing) in b (missing in b)', 'x.a: (missing) in a, 1 in b (missing in a)']);
  });

  test('a group holds what any arm has', async () => {
    const { lines } = await check({ arms, params: ['lora.*'] }, written);
    expect(lines).toEqual(['lora.alpha: 16 in a, (missing) in b (missing in b)']);
  });

  test('an exception is shown with its reason, in the log and in the report', async () => {
    const except = { env: 'by design', 'lora.alpha': 'b | has none' };
    const { result, context } = await check({ arms, params: ['lora.*', 'env'], except, to: 'out/parity.md' }, written);
    expect(result).toMatchObject({ ok: true, summary: '1 parameter is equal, 2 excepted' });
    expect(context.lines().at(-1)).toBe('~  env         "debate"  "plain"    excepted: by design');
    expect(readFileSync(join(context.dir, 'out/parity.md'), 'utf8')).toBe(`# Parity x

1 parameter is equal, 2 excepted.

|  | parameter | a | b | remark |
| --- | --- | --- | --- | --- |
| ~ | lora.alpha | 16 | (missing) | excepted: b \\| has none |
| = | lora.rank | 8 | 8 |  |
| ~ | env | "debate" | "plain" | excepted: by design |
`);
  });

  test('an exception for what no arm has is a misspelling', async () => {
    const { lines } = await check({ arms, params: ['lora.rank'], except: { enviroment: 'by design' } }, written);
    expect(lines).toEqual(['enviroment: (missing) in a, (missing) in b (the exception names what no arm has)']);
  });

  test('everything excepted is nothing compared', async () => {
    const { result } = await check({ arms, params: ['env'], except: { '*': 'anything goes' } }, written);
    expect(result).toMatchObject({
      failure: { code: 'parity-broken', lines: ['every parameter is excepted, so nothing was compared'] },
    });
  });

  test('three arms, one of which differs', async () => {
    const { lines } = await check(
      { arms: { ...arms, c: 'c.json' }, params: ['x'] },
      { 'a.json': '{"x": 1}', 'b.json': '{"x": 1}', 'c.json': '{"x": 2}' },
    );
    expect(lines).toEqual(['x: 1 in a, 1 in b, 2 in c (different values)']);
  });
});

describe('what the runs really used', () => {
  const configs = { 'a.py': 'LR = 3e-4', 'b.py': 'LR = 3e-4' };
  const given = {
    arms: { a: 'a.py', b: 'b.py' },
    params: ['LR', 'weight_decay'],
    resolved: { a: 'run/a.json', b: 'run/b.json' },
    names: { LR: 'optimizer.lr' },
  };
  const run = (lr: number, decay: number) => JSON.stringify({ optimizer: { lr }, weight_decay: decay });

  test('is compared between the arms: a default that changed elsewhere is caught', async () => {
    const good = await check(given, { ...configs, 'run/a.json': run(3e-4, 0.1), 'run/b.json': run(3e-4, 0.1) });
    expect(good.result).toMatchObject({ ok: true });
    const bad = await check(given, { ...configs, 'run/a.json': run(3e-4, 0.1), 'run/b.json': run(3e-4, 0) });
    expect(bad.lines).toEqual(['weight_decay: 0.1 in a, 0 in b (different values)']);
  });

  test('is compared with the files: a run that went its own way is caught, whatever is excepted', async () => {
    const both = { ...configs, 'run/a.json': run(1e-3, 0.1), 'run/b.json': run(1e-3, 0.1) };
    const { lines } = await check({ ...given, except: { LR: 'tuned for each arm' } }, both);
    expect(lines).toEqual([
      'LR: 0.001 in a, 0.001 in b (a ran with 0.001, its file says 0.0003; b ran with 0.001, its file says 0.0003)',
    ]);
  });

  test('a group is all that the files have of it: what no run tells of is missing, not equal', async () => {
    const file = '{"lora": {"rank": 8, "alpha": 16}}';
    const written = { 'a.json': file, 'b.json': file, 'run/a.json': file, 'run/b.json': file };
    const wish = { arms: { a: 'a.json', b: 'b.json' }, params: ['lora.*'], resolved: given.resolved };
    expect((await check(wish, written)).result).toMatchObject({ ok: true, summary: '2 parameters are equal' });
    const silent = '{"lora": {"rank": 8}}';
    const { lines } = await check(wish, { ...written, 'run/a.json': silent, 'run/b.json': silent });
    expect(lines).toEqual(['lora.alpha: (missing) in a, (missing) in b (missing in a, b)']);
  });

  test('what was changed to mend a job is no stray run, where every arm was changed', async () => {
    const written = { 'a.json': '{"batch": 32}', 'b.json': '{"batch": 32}', 'run/a.json': '{"batch": 8}' };
    const wish = {
      ...{ check: 'x', arms: { a: 'a.json', b: 'b.json' }, params: ['batch'], resolved: given.resolved },
      names: { batch: 'batch' },
    };
    const used = async (b: number, changed: Record<string, string>) => {
      const context = realContext({ ...written, 'run/b.json': JSON.stringify({ batch: b }) }, { changed });
      return { result: await parity.run(wish, context), context };
    };
    const both = await used(8, { batch: '8' });
    expect(both.result).toMatchObject({ ok: true });
    expect(both.context.lines()).toEqual([
      '   parameter  a  b',
      '=  batch      8  8  changed for every arm to mend a job; the files say 32',
    ]);
    const lines = ['batch: 8 in a, 32 in b (a ran with 8, its file says 32)'];
    expect((await used(32, { batch: '8' })).result).toMatchObject({ failure: { lines } });
    expect((await used(8, { batch: '16' })).result).toMatchObject({ ok: false });
    expect((await used(8, {})).result).toMatchObject({ ok: false });
  });

  test('what an earlier run left behind says nothing about this one', async () => {
    const written = { ...configs, 'run/a.json': run(3e-4, 0.1), 'run/b.json': run(3e-4, 0.1) };
    const context = realContext(written);
    const old = (path: string) => ({ ...context.fileFacts(path)!, isOlder: path !== 'run/a.json' });
    const result = await parity.run({ check: 'x', ...given } as ParityOptions, { ...context, fileFacts: old });
    expect(result).toEqual({
      ok: false,
      failure: {
        code: 'behaviour-failed',
        detail:
          'b: run/b.json is older than the run or its plan: it was there before, and no task has written it as one of its outputs',
      },
    });
  });

  test('nothing that the run does not tell counts as used', async () => {
    const { lines } = await check(given, {
      ...configs,
      'run/a.json': '{"weight_decay": 0}',
      'run/b.json': '{"weight_decay": 0}',
    });
    expect(lines).toEqual(['LR: (missing) in a, (missing) in b (no arm has it)']);
  });
});

test('describes what it reads and runs, and what does not go together', () => {
  const described = parity.describe(
    {
      check: 'x',
      arms: { a: 'a.py', b: { file: 'conf' }, c: { file: 'c.json', call: 'f' }, d: { run: './print' } },
      params: ['x'],
      resolved: { a: 'a.json', z: 'z.json' },
      names: { y: 'z' },
      python: 'venv/bin/python',
    },
    plainFacts,
  );
  expect(described).toEqual({
    summary: 'x: 1 parameter of a, b, c, d, as they were run',
    reads: ['a.py', 'a.json', 'z.json'],
    mustBeNew: ['a.json', 'z.json'],
    commands: ['venv/bin/python a.py', './print'],
    repeats: true,
    always: true,
    problems: [
      'arm b: the ending of conf does not say what it is: state format',
      'arm c: call is for Python files, and c.json is none',
      'arms and resolved do not both have the arm b',
      'arms and resolved do not both have the arm c',
      'arms and resolved do not both have the arm d',
      'arms and resolved do not both have the arm z',
      'names has y, which is not in params',
    ],
  });
});

test('a file is always equal to itself, so that one for two arms compares nothing', () => {
  const problems = (arms: object, resolved?: object) =>
    parity.describe({ check: 'x', arms, params: ['x'], ...(resolved ? { resolved } : {}) } as ParityOptions, plainFacts)
      .problems;
  expect(problems({ a: 'c.json', b: 'b.json', c: { file: 'c.json' } })).toEqual([
    'arms: a and c are read from the same place, c.json',
  ]);
  expect(problems({ a: 'a.json', b: 'b.json' }, { a: 'run.json', b: 'run.json' })).toEqual([
    'resolved: a and b are read from the same place, run.json',
  ]);
  expect(problems({ a: { file: 'c.json', at: 'a' }, b: { file: 'c.json', at: 'b' } })).toBeUndefined();
});

describe('properties', () => {
  test('any JSON value equals itself written again, and nothing of another kind', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(same(fromJson(value as never), fromJson(JSON.parse(JSON.stringify(value))))).toBe(true);
        expect(same(fromJson(value as never), fromJson([value] as never))).toBe(false);
      }),
    );
  });

  test('same is symmetric', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [one, other] = [fromJson(a as never), fromJson(b as never)];
        expect(same(one, other)).toBe(same(other, one));
      }),
    );
  });

  // A whole number that is too long to be exact is another one as soon as it is written.
  const short = fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value));

  test('a number as a word is the number, however it is written', () => {
    fc.assert(
      fc.property(short, (value) => {
        expect(same(bare(String(value)), value)).toBe(true);
        expect(same(bare(value.toExponential()), value)).toBe(true);
      }),
    );
  });

  test.each([
    ['lora', 'lora.rank', true],
    ['lora.*', 'lora.rank', true],
    ['lora.*', 'lora.deep.rank', true],
    ['lora.*', 'lora', false],
    ['lora.r*k', 'lora.rank', true],
    ['*_SIZE', 'BATCH_SIZE', true],
    ['*a*a*', 'aXa', true],
    ['*a*a*', 'a', false],
    ['lor', 'lora', false],
    ['lora.rank', 'lora', false],
    ['*', 'anything.at.all', true],
  ])('%s means %s: %s', (written, path, expected) => {
    expect(means(written, path)).toBe(expected);
  });
});
