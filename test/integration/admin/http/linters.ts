import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ruleset, Spectral } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

/** What the recommended rules of Redocly find in an OpenAPI document; neither linter asks the network for anything. */
export async function lintWithRedocly(document: object): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    // Unknown members are ignored, as the schemas say by not forbidding them.
    rules: {
      // Whether a process is alive is asked without anything that could be wrong.
      'operation-4xx-response': 'off',
      'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: true },
    },
  });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  });
  return problems.map(
    ({ ruleId, message, location: [place] }) => `${ruleId}: ${message} (${place?.pointer ?? ''})`,
  );
}

/** The same of Spectral. */
export async function lintWithSpectral(document: Readonly<Record<string, unknown>>): Promise<string[]> {
  const spectral = new Spectral();
  // Whom to ask about an instance is for its operators to say.
  spectral.setRuleset(new Ruleset({ extends: [[oas, 'recommended']], rules: { 'info-contact': 'off' } }));
  const problems = await spectral.run({ ...document });
  return problems.map(({ code, message, path }) => `${code}: ${message} (${path.join('/')})`);
}
