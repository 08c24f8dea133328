import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';

/** More than any step of the code under test takes. */
const TURNS_OF_A_MILLISECOND = 10;

/**
 * In this `describe`, time passes with the turns of the event loop, by `Date` and `setTimeout`. So no deadline depends on the
 * speed of the machine. For code without I/O, whose time would be none.
 */
export function passTimeByTurns(): void {
  let end = (): void => undefined;
  before(() => {
    let isOver = false;
    end = () => {
      isOver = true;
    };
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.now() });
    syncBuiltinESMExports();
    const turn = (count: number): void => {
      if (isOver) return;
      if (count % TURNS_OF_A_MILLISECOND === 0) mock.timers.tick(1);
      setImmediate(turn, count + 1);
    };
    turn(1);
  });
  after(() => {
    end();
    mock.timers.reset();
    syncBuiltinESMExports();
  });
}
