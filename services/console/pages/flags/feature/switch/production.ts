import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { useEnvironments } from '../../../../api/flags/environments.ts';

type IsProduction = (environment: string) => boolean;

/** Read once for all switches and strategies of a page. */
export const ProductionContext = createContext<IsProduction>((name) => name === 'production');

/** What the context holds: the type of an environment decides, and its name until the type is known. */
export function useProduction(): IsProduction {
  const environments = useEnvironments().data?.environments;
  return (name) => (environments?.find((one) => one.name === name)?.type ?? name) === 'production';
}

/** Whether what is changed there reaches the customers at once. */
export function useIsProduction(environment: string): boolean {
  return useContext(ProductionContext)(environment);
}
