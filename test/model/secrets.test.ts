import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secretFinder } from '../../src/model/secrets/secret-finder.js';
import { looksSecret } from '../../src/model/secrets/secret-name.js';
import { SecretStream } from '../../src/model/secrets/secret-stream.js';
import { secretMark, secretsOf } from '../../src/model/secrets/secrets.js';

describe('a name that tells of a secret', () => {
  test.each([
    ...[
      'ANTHROPIC_API_KEY',
      'OPENAI_API_KEY_2',
      'HF_TOKEN',
      'GITHUB_TOKEN',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_ACCESS_KEY_ID',
    ],
    ...[
      'MY_SECRET',
      'PGPASSWORD',
      'MYSQL_PWD',
      'DB_PASS',
      'npm_config__authToken',
      'NODE_AUTH_TOKEN',
      'TF_TOKEN_app_x_io',
    ],
    ...['DOCKER_AUTH', 'SLURM_JWT', 'GOOGLE_APPLICATION_CREDENTIALS', 'api_key', 'apiKey', 'SecretValue', 'TOKEN1'],
  ])('%s', (name) => expect(looksSecret(name)).toBe(true));

  test.each([
    ...[
      'KEYBOARD',
      'SSH_AUTH_SOCK',
      'PWD',
      'OLDPWD',
      'XAUTHORITY',
      'GIT_AUTHOR_NAME',
      'TOKENIZERS_PARALLELISM',
      'PATH',
    ],
    ...[
      'MAX_TOKENS',
      'NCCL_IB_PKEY',
      'KEYMAP',
      'PYTHON_KEYRING_BACKEND',
      'INIT_CWD',
      'SECRETARY',
      'COMPASS',
      'XPATH',
      '',
    ],
  ])('not %s', (name) => expect(looksSecret(name)).toBe(false));
});

describe('a value of fewer than six letters', () => {
  const { hide, hideValues } = secretsOf({ LAB_PIN: '1234', DB_PASS: 'root', X_KEY: '1', E_KEY: '', B_KEY: '  ' }, [
    'LAB_PIN',
  ]);

  test.each([
    ['in an assignment', 'LAB_PIN=1234', 'LAB_PIN=[secret LAB_PIN]'],
    ['in what `set -x` and `export -p` print', `+ export LAB_PIN='1234'`, `+ export LAB_PIN='[secret LAB_PIN]'`],
    ['in JSON', '{"LAB_PIN": "1234","DB_PASS":"root"}', '{"LAB_PIN": "[secret LAB_PIN]","DB_PASS":"[secret DB_PASS]"}'],
    ['in JSON within JSON', String.raw`"{\"DB_PASS\": \"root\"}"`, String.raw`"{\"DB_PASS\": \"[secret DB_PASS]\"}"`],
    ['in YAML', 'LAB_PIN: 1234', 'LAB_PIN: [secret LAB_PIN]'],
    ['in what Python prints of its environment', "{'DB_PASS': 'root'}", "{'DB_PASS': '[secret DB_PASS]'}"],
    ['in an option', 'run --lab-pin 1234 --db-pass=root', 'run --lab-pin [secret LAB_PIN] --db-pass=[secret DB_PASS]'],
    ['in an address', 'postgres://me:root@db/x', 'postgres://me:[secret DB_PASS]@db/x'],
    ['in a header', 'Authorization: Bearer 1234', 'Authorization: Bearer [secret LAB_PIN]'],
    ['in base64', `pass: ${Buffer.from('root').toString('base64')}`, 'pass: [secret DB_PASS]'],
    ['of one letter', 'X_KEY=1', 'X_KEY=[secret X_KEY]'],
  ])('is hidden where something says what it is: %s', (_how, text, shown) => {
    expect(hideValues(text)).toBe(shown);
  });

  test('nothing is left of it in what passes the other filter as well', () => {
    expect(hide('DB_PASS=root LAB_PIN=1234')).toBe('DB_PASS=[secret DB_PASS] LAB_PIN=[secret LAB_PIN]');
  });

  test.each([
    'cd /root/study; step 1234 of 12345, loss 0.1234, x=1, "root": 1',
    'LAB_PIN is not set, LAB_PINS=1234 neither; DB_PASSWORD, X_KEY',
    'user root logged in 1 time; E_KEY= B_KEY=',
    'sha256:12340000',
  ])('is left alone in ordinary text: %s', (text) => {
    expect(hideValues(text)).toBe(text);
  });

  test('a text that ends with the name alone says no more than that', () => {
    for (const end of ['LAB_PIN', 'LAB_PIN=', 'DB_PASS=ro', 'the DB_PASS']) {
      const stream = new SecretStream(secretFinder(secretsOf({ LAB_PIN: '1234', DB_PASS: 'root' }, ['LAB_PIN']).marks));
      expect(stream.take(end) + stream.end()).toBe(end);
    }
  });

  test('is hidden however a text is cut into pieces', () => {
    const text = 'a LAB_PIN=1234 b {"DB_PASS": "root"} c';
    const { marks } = secretsOf({ LAB_PIN: '1234', DB_PASS: 'root' }, ['LAB_PIN']);
    for (let size = 1; size < text.length; size += 1) {
      const stream = new SecretStream(secretFinder(marks));
      let shown = '';
      for (let at = 0; at < text.length; at += size) shown += stream.take(text.slice(at, at + size));
      expect(shown + stream.end()).toBe('a LAB_PIN=[secret LAB_PIN] b {"DB_PASS": "[secret DB_PASS]"} c');
    }
  });
});

describe('hiding', () => {
  const value = 'pa$$ w/"q"+é?=&';
  const bytesAs = (encoding: BufferEncoding): string => Buffer.from(value).toString(encoding);
  const everyLetter = (text: string): string =>
    [...text].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const { hide, hideValues, names } = secretsOf({ MY_SECRET: value, PATH: '/usr/bin:/bin', SHORT_KEY: 'abcde' });

  test('knows what is secret', () => {
    expect(names).toEqual(['MY_SECRET', 'SHORT_KEY']);
    expect(secretsOf({ WANDB_PROJECT: 'private-name', OTHER: 'something' }, ['WANDB_*']).names).toEqual([
      'WANDB_PROJECT',
    ]);
  });

  test.each([
    ['as it is', value],
    ['in an address', encodeURIComponent(value)],
    ['in an address, with small digits', encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase())],
    ['in a form', new URLSearchParams({ a: value }).toString().slice(2)],
    ['in JSON', JSON.stringify(value).slice(1, -1)],
    ['in JSON of ASCII alone, as Python writes it', 'pa$$ w/\\"q\\"+\\u00e9?=&'],
    ['the same with large digits', 'pa$$ w/\\"q\\"+\\u00E9?=&'],
    ['in JSON for a web page, as Go writes it', 'pa$$ w/\\"q\\"+é?=\\u0026'],
    ['in JSON with escaped slashes, as PHP writes it', 'pa$$ w\\/\\"q\\"+\\u00e9?=&'],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(value)).slice(3, -3)],
    ['in JSON with every letter escaped', everyLetter(value)],
    ['in an address with every byte encoded', bytesAs('hex').replace(/../g, '%$&')],
    ['the same with large digits', bytesAs('hex').toUpperCase().replace(/../g, '%$&')],
    ['in hexadecimal', bytesAs('hex')],
    ['in large hexadecimal', bytesAs('hex').toUpperCase()],
    ['in hexadecimal with a sign before each byte', bytesAs('hex').replace(/../g, '\\x$&')],
    ['in base64', Buffer.from(value).toString('base64')],
    ['in base64 for addresses', Buffer.from(value).toString('base64url')],
  ])('%s', (_how, form) => {
    expect(hide(`before <${form}> after`)).toBe('before <[secret MY_SECRET]> after');
  });

  test.each(['u:', 'me:', 'you:', ''])('in base64 after %j and before more', (front) => {
    const long = 'correct-horse-battery-staple';
    const text = Buffer.from(`${front}${long}\n`).toString('base64');
    const shown = secretsOf({ A_TOKEN: long }).hide(text);
    expect(shown).toContain('[secret A_TOKEN]');
    // Only what a letter shares with its neighbours is left.
    expect(shown.replace('[secret A_TOKEN]', '').length).toBeLessThan(front.length * 2 + 6);
  });

  test('a long value in base64 that is broken into lines', () => {
    const long = Array.from({ length: 40 }, (_, index) => `part${index * 7919}`).join('');
    for (const width of [64, 76]) {
      const broken = Buffer.from(`${long}\n`)
        .toString('base64')
        .replace(new RegExp(`.{${width}}`, 'g'), '$&\n');
      const left = secretsOf({ A_TOKEN: long }).hide(broken).replaceAll('[secret A_TOKEN]', '').replaceAll('\n', '');
      expect(left.length).toBeLessThan(12);
    }
  });

  test('a key with nothing to escape in it, where somebody escaped it all the same', () => {
    const plain = 'correct-horse-battery';
    const { hide: hidePlain } = secretsOf({ A_TOKEN: plain });
    const hex = Buffer.from(plain).toString('hex');
    for (const form of [everyLetter(plain), hex, hex.replace(/../g, '%$&'), hex.replace(/../g, '\\x$&')])
      expect(hidePlain(`<${form}>`)).toBe('<[secret A_TOKEN]>');
  });

  test('any form of it in JSON once more, as agents quote what they saw', () => {
    const hex = bytesAs('hex').replace(/../g, '\\x$&');
    for (const form of [everyLetter(value), hex, 'pa$$ w\\/\\"q\\"+\\u00e9?=&', 'pa$$ w/\\"q\\"+é?=\\u0026'])
      expect(hide(JSON.stringify({ saw: `<${form}>` }))).toBe('{"saw":"<[secret MY_SECRET]>"}');
  });

  test('a long value in the lines of xxd -p', () => {
    const long = Array.from({ length: 30 }, (_, index) => `part${index * 7919}`).join('');
    const lines = Buffer.from(long).toString('hex').replace(/.{60}/g, '$&\n').split('\n');
    const shown = secretsOf({ A_TOKEN: long }).hide(lines.join('\n'));
    expect(new Set(shown.split('\n'))).toEqual(new Set(['[secret A_TOKEN]']));
  });

  test('a letter beyond the first 65,536, which JSON writes as two', () => {
    const { hide: hideOdd } = secretsOf({ A_TOKEN: 'pass😀word' });
    expect(hideOdd('x pass\\ud83d\\ude00word y')).toBe('x [secret A_TOKEN] y');
  });

  test('digests and other numbers are left alone', () => {
    const text = `sha256 ${'0123456789abcdef'.repeat(4)} \\u0041 %41%42 \\x41`;
    expect(hide(text)).toBe(text);
  });

  test('a key of several lines, line by line', () => {
    const key = '-----BEGIN KEY-----\nMIIabcdefgh0123\nQRSTUVWXYZ98765\n-----END KEY-----\n';
    const { hide: hideKey } = secretsOf({ SSH_KEY: key });
    expect(hideKey(key)).toBe('[secret SSH_KEY]');
    expect(hideKey('read QRSTUVWXYZ98765')).toBe('read [secret SSH_KEY]');
    expect(hideKey('-----BEGIN KEY-----')).toBe('-----BEGIN KEY-----');
  });

  test('an address with a login is one, and so is the password in it', () => {
    const { hide: hideProxy, names: found } = secretsOf({
      https_proxy: 'http://me:p%40ssw0rd@proxy:3128',
      PIP_INDEX_URL: 'https://tok-0123456@pypi.example/simple',
      REMOTE: 'ssh://somebody@host/x',
      HOMEPAGE: 'https://example.org/@somebody',
    });
    expect(found).toEqual(['https_proxy', 'PIP_INDEX_URL']);
    expect(hideProxy('login p@ssw0rd or p%40ssw0rd')).toBe('login [secret https_proxy] or [secret https_proxy]');
    expect(hideProxy('with tok-0123456')).toBe('with [secret PIP_INDEX_URL]');
  });

  test('the longest of those that begin alike', () => {
    const both = secretsOf({ A_KEY: 'abcdef', B_KEY: 'abcdefghij' });
    expect(both.hide('abcdefghij abcdef')).toBe('[secret B_KEY] [secret A_KEY]');
  });

  test('a mark is not hidden again, whatever the value is', () => {
    const odd = secretsOf({ A_KEY: 'secret', SECRET: 'B_SECRET', B_SECRET: '[secret' });
    const once = odd.hide('my secret is B_SECRET');
    expect(once).toBe('my [secret A_KEY] is [secret SECRET]');
    expect(odd.hide(once)).toBe(once);
  });

  test('what only looks like a key is hidden too, but not where programs read', () => {
    expect(hide(`DB_PASSWORD=hunter2 MY_SECRET=${value}`)).toBe('DB_PASSWORD=[redacted] MY_SECRET=[secret MY_SECRET]');
    expect(hideValues('{"api_key":"abc"}')).toBe('{"api_key":"abc"}');
    expect(secretsOf({}).hide('DB_PASSWORD=hunter2')).toBe('DB_PASSWORD=[redacted]');
  });

  test('of some variables only', () => {
    const two = secretsOf({ A_KEY: 'first-value', B_KEY: 'second-value' }).of(['B_KEY', 'PATH']);
    expect(two.hide('first-value second-value')).toBe('first-value [secret B_KEY]');
  });

  test('never leaves a value, and leaves other text alone', () => {
    const values = fc.dictionary(
      fc.stringMatching(/^[A-Z]{1,4}_(KEY|TOKEN)$/),
      fc.string({ minLength: 6, maxLength: 60 }),
      {
        minKeys: 1,
        maxKeys: 4,
        noNullPrototype: true,
      },
    );
    fc.assert(
      fc.property(values, fc.array(fc.string({ maxLength: 20 })), (env, between) => {
        const secrets = secretsOf(env);
        const forms = Object.values(env).flatMap((one) => [
          one,
          JSON.stringify(one),
          Buffer.from(one).toString('base64'),
        ]);
        const text = between.map((words, index) => words + forms[index % forms.length]).join('');
        const shown = secrets.hideValues(text);
        let rest = [shown];
        for (const name of secrets.names) rest = rest.flatMap((part) => part.split(secretMark(name)));
        for (const one of Object.values(env)) for (const part of rest) expect(part.includes(one)).toBe(false);
        const clean = between.join('\u0000');
        if (![...secrets.marks.keys()].some((form) => clean.includes(form)))
          expect(secrets.hideValues(clean)).toBe(clean);
      }),
      { numRuns: 300 },
    );
  });
});
