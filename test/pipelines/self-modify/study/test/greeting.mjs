import { strict as assert } from 'node:assert';
import { greeting } from '../src/greeting.mjs';

assert.equal(greeting(9), 'Good morning');
assert.equal(greeting(15), 'Good day');
assert.equal(greeting(20), 'Good evening');
