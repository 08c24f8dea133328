import { OF_WHOLE_FEATURE } from '../../http/access/scope.ts';
import { type Operation, nameParameter } from '../../http/operation.ts';
import { Versioned } from '../../http/answers/versions.ts';
import type { PassOn } from './pass-on.ts';
import type { Features } from './store.ts';

export function archiveOperations(features: Features, passOn: PassOn): Operation[] {
  return [archiveFeature(features, passOn), reviveFeature(features)];
}

function archiveFeature(features: Features, passOn: PassOn): Operation {
  return {
    id: 'archiveFeature',
    scope: OF_WHOLE_FEATURE,
    method: 'delete',
    path: '/api/admin/archive/{featureName}',
    tag: 'Features',
    summary:
      'Archive a feature (reversible, idempotent), in Unleash if Unleash owns it. Where approvals are required, only Admins may do this; others open a change request',
    permission: 'DELETE_FEATURE',
    isVersioned: true,
    ifMatch: 'optional',
    answer: { status: 200, description: 'The feature is archived.' },
    problems: [404, 409],
    async run(request) {
      const name = nameParameter(request, 'featureName');
      const version = await features.archive(name, request);
      if (version === undefined) return passOn({ name, caller: request.caller });
      return new Versioned(version);
    },
  };
}

function reviveFeature(features: Features): Operation {
  return {
    id: 'reviveFeature',
    scope: OF_WHOLE_FEATURE,
    method: 'post',
    path: '/api/admin/archive/revive/{featureName}',
    tag: 'Features',
    summary:
      'Revive an archived feature, disabled in every environment. If approvals are required, only Admins may do this',
    permission: 'UPDATE_FEATURE',
    isVersioned: true,
    ifMatch: 'optional',
    answer: { status: 200, description: 'The feature is active.' },
    problems: [404, 409],
    async run(request) {
      const version = await features.revive(nameParameter(request, 'featureName'), request);
      return new Versioned(version);
    },
  };
}
