import { HttpProblem } from '#http';
import { type AdminRequest, type Operation, nameParameter, notFound } from '../http/operation.ts';
import type { PassOn } from './pass-on.ts';
import type { Features } from './store.ts';

/** Enables and disables a feature in an environment. If Unleash owns the feature, the change is made there. */
export function enableOperations(features: Features, passOn: PassOn): Operation[] {
  const path = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';
  const common = {
    method: 'post',
    tag: 'Features',
    permission: 'UPDATE_FEATURE',
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
        'Enable a feature in an environment, in Unleash if Unleash owns it. If approvals are required, only Admins may do this',
      answer: { status: 200, description: 'The feature is enabled.' },
      run: run(true),
    },
    {
      ...common,
      id: 'disableFeature',
      path: `${path}/off`,
      summary:
        'Disable a feature in an environment, in Unleash if Unleash owns it. If approvals are required, only Admins may do this',
      answer: { status: 200, description: 'The feature is disabled.' },
      run: run(false),
    },
  ];
}

type Parts = { readonly features: Features; readonly passOn: PassOn };

async function enable({ features, passOn }: Parts, request: AdminRequest, isEnabled: boolean): Promise<void> {
  const { caller } = request;
  const feature = nameParameter(request, 'featureName');
  const environment = nameParameter(request, 'environment');
  const project = nameParameter(request, 'projectId');
  const result = await features.enable({ project, feature, environment, isEnabled, caller });
  if (result === 'owned by Unleash')
    await passOn({ name: feature, state: { environment, isEnabled }, caller });
  if (result === 'unknown')
    throw notFound('There is no such feature in this project, or no such environment.');
  if (result === 'archived') throw new HttpProblem(409, 'The feature is archived.');
  if (result === 'needs approval')
    throw new HttpProblem(
      403,
      'This environment requires approvals: change the feature by a change request.',
    );
}
