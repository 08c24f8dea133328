import Mocha from 'mocha';

const { Base, Spec } = Mocha.reporters;

/** The usual report, and each failure also in full as soon as its file has ended: a group of files takes many minutes. */
export default class Reporter extends Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('fail', (test) => {
      Base.list([test]);
    });
  }
}
