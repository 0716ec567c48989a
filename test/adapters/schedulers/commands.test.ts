import { afterAll, describe, expect, it } from 'vitest';
import { type CommandsOptions, CommandsScheduler } from '../../../src/adapters/schedulers/commands.js';
import { FakeBatch } from '../../support/fake-batch.js';
import { ended, Room, reached, schedulerContract, standing, submitted } from './scheduler-contract.js';

const optionsFor = (batch: FakeBatch, timeoutMs = 20_000): CommandsOptions => ({
  submit: { run: 'batch submit {{job.tag}} {{job.script}} {{#if job.seconds}}{{job.seconds}}{{/if}}', timeoutMs },
  id: '^Your job (\\d+) ',
  find: { run: 'batch find {{job.tag}}', timeoutMs },
  state: { run: 'batch state {{job.id}}', timeoutMs },
  states: {
    running: '^state=r$',
    completed: '^state=C$',
    failed: '^state=F$',
    cancelled: '^state=K$',
    'timed-out': '^state=T$',
    gone: 'does not exist',
  },
  cancel: { run: 'batch cancel {{job.id}}', timeoutMs },
  names: { vars: {} },
  env: batch.env,
});

schedulerContract('commands', async (room) => ({
  scheduler: new CommandsScheduler(optionsFor(new FakeBatch(room.dir))),
  close: () => {},
}));

describe('any other scheduler', () => {
  const room = new Room();
  const batch = new FakeBatch(room.dir);
  const options = optionsFor(batch);
  const commands = new CommandsScheduler(options);
  afterAll(() => room.close());

  it('does not take for an answer what is none', async () => {
    const [id] = await submitted(commands, room.order('sleep 0.1'));
    batch.next('state garbage');
    expect(await standing(commands, id!)).toEqual({
      kind: 'unreachable',
      detail: 'state printed "\\u0000<html>502 Bad Gateway</html>", which none of "states" fits',
    });
    batch.next('state empty');
    expect(await standing(commands, id!)).toEqual({
      kind: 'unreachable',
      detail: 'state printed "", which none of "states" fits',
    });
    batch.next('state fail state=C');
    expect(await standing(commands, id!)).toEqual({ kind: 'unreachable', detail: 'state exited with 1: state=C' });
    const both = new CommandsScheduler({ ...options, states: { running: 'state', completed: 'state' } });
    expect(await standing(both, id!)).toEqual({
      kind: 'unreachable',
      detail: expect.stringContaining('which fits running and completed'),
    });
    expect(await ended(commands, id!)).toMatchObject({ how: 'completed' });
  });

  it('is unsure whether there is a job when submit hangs or prints no id, and finds it by its tag', async () => {
    const hasty = new CommandsScheduler(optionsFor(batch, 1000));
    const order = room.order('true');
    batch.next('submit late');
    expect(await hasty.submit([order])).toEqual({ kind: 'unsure', detail: 'submit did not answer within 1 s' });
    const found = await commands.find(order);
    expect(found).toMatchObject({ kind: 'found', ids: [expect.stringMatching(/^\d+$/)] });
    batch.next('submit empty');
    expect(await commands.submit([room.order('true')])).toEqual({
      kind: 'unsure',
      detail: 'no id in what submit printed: ""',
    });
    const { find: _find, ...blind } = options;
    expect(await new CommandsScheduler(blind).find(order)).toEqual({
      kind: 'cannot',
      detail: 'the cluster has no "find" command that looks for a tag',
    });
  });

  it('quotes what templates fill in', async () => {
    const odd = new CommandsScheduler({
      ...options,
      submit: { run: 'batch submit {{job.tag}} {{job.script}} && : {{job.partition}}', timeoutMs: 9000 },
    });
    const [id] = await submitted(odd, room.order('true', { resources: { partition: '$(touch owned); touch owned' } }));
    await reached(odd, id!, ({ kind }) => kind === 'ended');
    expect(room.exists('owned')).toBe(false);
    const wrong = new CommandsScheduler({ ...options, submit: { run: 'batch submit {{job.queue}}', timeoutMs: 9000 } });
    expect(await wrong.submit([room.order('true')])).toEqual({ kind: 'refused', detail: 'unknown name "job.queue"' });
  });
});
