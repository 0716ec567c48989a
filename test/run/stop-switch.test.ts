import { describe, expect, it } from 'vitest';
import { StopSwitch } from '../../src/run/stop-switch.js';

describe('a switch that outlives many runs', () => {
  it('tells those who still listen, once', () => {
    const stop = new StopSwitch();
    const heard: string[] = [];
    const end = stop.onStop((signal) => heard.push(`first ${signal}`));
    stop.onStop((signal) => heard.push(`second ${signal}`));
    end();
    stop.stop('SIGINT');
    stop.stop('SIGINT');
    expect(heard).toEqual(['second SIGINT']);
  });
});
