import { readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { controlOf, limitsOf } from '../../../../../services/console/ui/dialogs/control.ts';

const CONSOLE = 'services/console';

const PAGES = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.tsx'),
);

/** The controls of a page with their attributes. */
const CONTROL = /<(?:input|textarea|select)\b(?:=>|[^>])*>/g;

describe('controls of forms', () => {
  it('take what the API takes', () => {
    expect(controlOf('project', 'id')).to.deep.equal({ name: 'id', required: true, maxLength: 100 });
    expect(controlOf('project', 'description')).to.deep.equal({ name: 'description', maxLength: 10_000 });
    expect(limitsOf('feedback', 'difficultyScore')).to.deep.equal({ min: 1, max: 7 });
    expect(limitsOf('change', 'comment')).to.deep.equal({ maxLength: 500 });
    expect(limitsOf('payload', 'value')).to.deep.equal({ maxLength: 10_000 }); // may be empty
  });

  it('have no lengths of their own', () => {
    expect(PAGES).to.have.length.of.at.least(100);
    const own = PAGES.filter((file) => /maxLength=\{\d/.test(readFileSync(`${CONSOLE}/${file}`, 'utf8')));
    expect(own).to.deep.equal([]);
  });

  // Preact sets the value of such a control whenever its component is drawn again.
  it('have no fixed value, which would replace what somebody has typed', () => {
    const controls = PAGES.flatMap((file) => readFileSync(`${CONSOLE}/${file}`, 'utf8').match(CONTROL) ?? []);
    expect(controls).to.have.length.of.at.least(50);
    const fixed = controls.filter(
      (control) =>
        /\s(?:value|checked)=/.test(control) &&
        !/ (?:on(?:Input|Change)=|readOnly|type="checkbox"\s+name=)/.test(control.replaceAll(/\s+/g, ' ')),
    );
    expect(fixed).to.deep.equal([]);
  });
});
