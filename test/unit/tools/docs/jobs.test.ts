import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { COPIED_TABLES } from '#fleet/catalogue';
import { filesIn } from '../../../support/documents/sources.ts';

const FILE = 'docs/operate/people/access.md';

/** Files that give their jobs names which are no literals, and how to find these names in the file. */
const COMPUTED: Readonly<Record<string, (text: string) => string[]>> = {
  'services/admin/advice/notifications/notifier.ts': (text) => all(text, /\bstart(?:Later)?\(\s*'([^']+)'/g),
  'services/worker/fleet/fleet-jobs.ts': () => COPIED_TABLES.map(({ name }) => `sync of ${name}`),
};

describe('what acts by itself', () => {
  const sources = filesIn('services', 'packages')
    .filter((file) => file.endsWith('.ts') && !file.startsWith('packages/base/runtime/'))
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
    .filter(({ text }) => /\bstartJob(OfMany)?\b/.test(text));

  it('is in the table of access.md: every job of every process, and no other', () => {
    const names = sources.flatMap(({ file, text }) => [
      ...all(text, /\bname: '([^']+)', pauseMs\b/g),
      ...(COMPUTED[file]?.(text) ?? []),
    ]);
    expect(names.length).to.be.greaterThan(30);
    // The notifier runs the jobs of its own only in one process of all.
    expect(documentedJobs()).to.have.members(names.filter((name) => name !== 'notifications'));
  });

  for (const { file, text } of sources)
    it(`has a name that this test finds in ${file}`, () => {
      const calls = all(text, /\b(startJob(?:OfMany)?)(?:<[^>]*>)?\(/g).length;
      const literals = all(text, /\bname: '([^']+)', pauseMs\b/g).length;
      const isOwn = /\bfunction startFleetJobs\(/.test(text) ? 0 : calls - literals;
      if (COMPUTED[file] === undefined) expect(isOwn).to.equal(0);
      else expect(COMPUTED[file](text).length).to.be.greaterThan(3);
    });

  it('says for each kind which permission is checked, and what happens without it', () => {
    for (const row of rows()) {
      const [what = '', , needed = '', again = '', otherwise = ''] = row;
      expect(what, row.join(' | ')).to.not.equal('');
      expect(needed, row.join(' | ')).to.not.equal('');
      const needsNone = /^(none|settings)/.test(needed);
      expect(
        [again, otherwise].every((cell) => (cell === '') === needsNone),
        row.join(' | '),
      ).to.equal(true);
    }
  });
});

function documentedJobs(): string[] {
  return rows().flatMap(([, jobs = '']) => all(jobs, /`([^`]+)`/g));
}

/** The rows of the table under the heading. */
function rows(): string[][] {
  const text = readFileSync(FILE, 'utf8');
  const [, section = ''] = /^## What acts by itself\n(.+?)^## /ms.exec(text) ?? [];
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function all(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name = '']) => name);
}
