// The judge: reads constitution and difference, and passes what is polite.
import { readFileSync } from 'node:fs';

readFileSync(0);
const diff = readFileSync('reports/self-modify/change.diff', 'utf8');
const polite = /^\+.*Good (morning|day|evening)/m.test(diff) && process.argv[2] !== 'refuses';
const reasons = [
  polite ? 'src/greeting.mjs:1 greets politely, and writes nothing' : 'article 3: the change is not polite',
];
console.log(JSON.stringify({ verdict: polite ? 'pass' : 'reject', reasons, usd: 0.1 }));
