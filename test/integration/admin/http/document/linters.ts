import { createConfig, lintFromString } from '@redocly/openapi-core';

/** The findings of Redocly's recommended rules in an OpenAPI document. Neither linter uses the network. */
export async function lintWithRedocly(document: object): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    // The schemas do not forbid unknown members, and unknown members are ignored.
    rules: {
      // The liveness probe has no parameters and so no client errors.
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

/** The findings of Spectral. */
export async function lintWithSpectral(document: Readonly<Record<string, unknown>>): Promise<string[]> {
  // Imported here, because only the night needs it and it takes a second.
  const [{ Ruleset, Spectral }, { oas }] = await Promise.all([
    import('@stoplight/spectral-core'),
    import('@stoplight/spectral-rulesets'),
  ]);
  const spectral = new Spectral();
  // The operators of an instance know whom to contact, the document does not.
  spectral.setRuleset(new Ruleset({ extends: [[oas, 'recommended']], rules: { 'info-contact': 'off' } }));
  const problems = await spectral.run({ ...document });
  return problems.map(({ code, message, path }) => `${code}: ${message} (${path.join('/')})`);
}
