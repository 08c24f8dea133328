import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { PERMISSIONS } from '#base/tokens';
import { configSchema } from '#base/runtime';
import { codeBlocksOf, codeSpansOf, readDocuments } from '../../../support/documents/documents.ts';
import { filesIn, textOf } from '../../../support/documents/sources.ts';

const METRIC = /flagmeter_[a-z_]*[a-z]/g;
/** Variables of Node and of Unleash Edge. */
const OTHERS = ['NODE_EXTRA_CA_CERTS', 'UPSTREAM_URL', 'BACKUP_FOLDER'];

type ErrorCode = { readonly type: string };
const kafkaErrors = createRequire(import.meta.url)('kafkajs/src/protocol/error') as {
  errorCodes: ErrorCode[];
};

describe('the names in the documents', () => {
  // The local stack has users with such names, and no metrics.
  const sources = filesIn('services', 'packages').filter((file) => !file.includes('/stack/'));
  const metrics = metricsOf(textOf(sources));
  const files = filesIn('packages', 'services', 'tools', 'infra', 'test', 'docs');
  const others = wordsOf(textOf(filesIn('infra', 'tools', 'packages/tooling/stack', 'services/cli')));
  /** A setting of the program, or a variable of the command line, of the local stack or of compose. Those of AWS are not looked at. */
  const isSetting = (name: string): boolean =>
    name in configSchema.properties || OTHERS.includes(name) || others.has(name);

  it('include all metrics: metrics.md, limits.md and admin-limits.md of docs/operate/watch', () => {
    const pages = ['metrics', 'limits', 'admin-limits'].map((name) =>
      readFileSync(`docs/operate/watch/${name}.md`, 'utf8'),
    );
    expect(namesIn(pages.join('\n'))).to.have.members([...metrics]);
  });

  it('are metrics that exist: alert rules and dashboards', () => {
    const series = namesIn(textOf(filesIn('infra/prometheus', 'infra/grafana')));
    const names = series.map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    expect(names.filter((name) => !metrics.has(name))).to.deep.equal([]);
  });

  for (const document of readDocuments()) {
    const spans = codeSpansOf(document);

    it(`are settings, permissions or error codes of Kafka that exist: ${document.file}`, () => {
      const named = spans.flatMap((span) => span.match(/\b(?!CAP_|AWS_)[A-Z]+(?:_[A-Z]+)+\b/g) ?? []);
      expect(
        named.filter(
          (name) =>
            !isPermission(name) &&
            !isSetting(name) &&
            !isSetting(name.replace(/_FILE$/, '')) &&
            !isErrorOfKafka(name),
        ),
      ).to.deep.equal([]);
    });

    it(`are files that exist: ${document.file}`, () => {
      const named = spans.filter((span) => /^[\w./-]+\.(?:ts|mjs|sql|ya?ml|xml|md)$/.test(span));
      expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).to.deep.equal(
        [],
      );
    });

    it(`are paths that exist, in code blocks: ${document.file}`, () => {
      const code = codeBlocksOf(document).map((block) => block.code);
      const named =
        code.join('\n').match(/(?<=^|[\s='"])(?:infra|test|docs|services|packages)\/[\w./@-]+/gm) ?? [];
      expect(named.filter((name) => !existsSync(name))).to.deep.equal([]);
    });
  }
});

/** Each inline code that consists of the name of a metric. */
function metricsOf(code: string): Set<string> {
  const declared = code.matchAll(/'(flagmeter_\w+)'/g);
  return new Set([...declared].map(([, name = '']) => name));
}

function namesIn(text: string): string[] {
  return [...new Set(text.match(METRIC))];
}

/** The words that have only letters, digits and `_`. */
function wordsOf(text: string): Set<string> {
  return new Set(text.match(/\w+/g));
}

function isPermission(name: string): boolean {
  return PERMISSIONS.some((permission) => permission === name);
}

function isErrorOfKafka(name: string): boolean {
  return kafkaErrors.errorCodes.some(({ type }) => type === name);
}
