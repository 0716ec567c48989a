import { DirectRunner } from '../../../src/adapters/command/direct.js';
import { commandRunnerContract } from './contract.js';

commandRunnerContract({ name: 'the direct runner', endurance: 100, create: (options) => new DirectRunner(options) });
