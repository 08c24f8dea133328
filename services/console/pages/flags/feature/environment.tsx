import type { Feature } from '../../../types.ts';
import { useConsole } from '../../../console.ts';

/** Stands in the URL for all environments together. No environment is called so. */
const ALL = '*';

/** The environment of the URL; undefined for all. */
export function useEnvironment(feature: Feature | undefined): string | undefined {
  const chosen = useConsole().router.route.value.query['environment'];
  if (chosen !== undefined) return chosen === ALL ? undefined : chosen;
  return feature && mainEnvironment(feature);
}

/** Production, or else the first environment of the feature. */
export function mainEnvironment({ environments }: Feature): string | undefined {
  const names = environments.map(({ name }) => name);
  return names.includes('production') ? 'production' : names[0];
}

type Props = { readonly feature: Feature | undefined; readonly environment: string | undefined };

export function EnvironmentChoice({ feature, environment }: Props) {
  const { router } = useConsole();
  const names = feature?.environments.map(({ name }) => name) ?? [];
  const known = environment === undefined || names.includes(environment) ? names : [...names, environment];
  return (
    <select
      aria-label="Environment"
      value={environment ?? ALL}
      onChange={(event) => {
        router.change({ environment: event.currentTarget.value });
      }}
    >
      {known.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
      <option value={ALL}>all environments</option>
    </select>
  );
}
