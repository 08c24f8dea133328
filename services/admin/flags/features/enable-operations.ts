import { IN_ENVIRONMENT } from '../../http/access/scope.ts';
import { type AdminRequest, type Operation, nameParameter } from '../../http/operation.ts';
import { Versioned } from '../../http/answers/versions.ts';
import type { PassOn } from './pass-on.ts';
import type { Features } from './store.ts';

/** Enables and disables a feature in an environment. If Unleash owns the feature, the change is made there. */
export function enableOperations(features: Features, passOn: PassOn): Operation[] {
  const path = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';
  const common = {
    method: 'post',
    tag: 'Features',
    permission: 'UPDATE_FEATURE',
    scope: IN_ENVIRONMENT,
    isVersioned: true,
    ifMatch: 'optional',
    problems: [404, 409],
  } as const;
  const run = (isEnabled: boolean) => (request: AdminRequest) =>
    enable({ features, passOn }, request, isEnabled);
  return [
    {
      ...common,
      id: 'enableFeature',
      path: `${path}/on`,
      summary:
        'Enable a feature in an environment, in Unleash if Unleash owns it. Where approvals are required, only Admins may do this; others open a change request',
      answer: { status: 200, description: 'The feature is enabled.' },
      run: run(true),
    },
    {
      ...common,
      id: 'disableFeature',
      path: `${path}/off`,
      summary:
        'Disable a feature in an environment, in Unleash if Unleash owns it. Where approvals are required, only Admins may do this; others open a change request',
      answer: { status: 200, description: 'The feature is disabled.' },
      run: run(false),
    },
  ];
}

type Parts = { readonly features: Features; readonly passOn: PassOn };

async function enable(
  { features, passOn }: Parts,
  request: AdminRequest,
  isEnabled: boolean,
): Promise<Versioned | undefined> {
  const { caller, isCurrent } = request;
  const feature = nameParameter(request, 'featureName');
  const environment = nameParameter(request, 'environment');
  const project = nameParameter(request, 'projectId');
  const version = await features.enable({ project, feature, environment, caller, isCurrent }, isEnabled);
  if (version !== undefined) return new Versioned(version);
  await passOn({ name: feature, state: { environment, isEnabled }, caller });
  return undefined;
}
