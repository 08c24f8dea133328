import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { createHub } from '#base/auth';

describe('the hub of a supervisor', () => {
  it('adds no requests up that a process counted long ago, as after a pause of the supervisor', () => {
    const answers: unknown[] = [];
    const process = new EventEmitter();
    createHub().join({
      connected: true,
      send(message, callback) {
        answers.push(message);
        callback(null);
        return true;
      },
      on: (event, listener) => process.on(event, listener),
    });
    const ask = (id: number, at: number): void => {
      process.emit('message', { bus: { id, requests: [['token', 7]], windowMs: 60_000, at } });
    };
    ask(1, Date.now() - 25_000);
    ask(2, Date.now());
    expect(answers[0]).to.deep.equal({ bus: { id: 1, rates: [] } });
    expect(answers[1]).to.have.nested.property('bus.rates[0][1].requests', 7);
  });
});
