import { HttpProblem, conflict } from '#base/http';
import { OF_WHOLE_FEATURE } from '../../http/access/scope.ts';
import { type Operation, nameParameter, notFound } from '../../http/operation.ts';
import { Versioned, outdated } from '../../http/answers/versions.ts';
import { type PassOn, ownedByUnleash } from './pass-on.ts';
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
      const { result, version } = await features.archive(name, request);
      if (result === 'owned by Unleash') return passOn({ name, caller: request.caller });
      if (result === 'outdated') throw outdated('the feature');
      if (result === 'unknown') throw notFound('There is no such feature.');
      if (result === 'needs approval')
        throw conflict(
          'ApprovalRequired',
          'This project requires approvals: open a change request, which can archive the feature.',
        );
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
      const { result, version } = await features.revive(nameParameter(request, 'featureName'), request);
      if (result === 'outdated') throw outdated('the feature');
      if (result === 'owned by Unleash') throw ownedByUnleash('this feature');
      if (result === 'unknown') throw notFound('There is no such feature.');
      if (result === 'archived project')
        throw conflict(
          'ProjectArchived',
          'The project of this feature is archived: revive the project first.',
        );
      if (result === 'needs approval')
        throw new HttpProblem(403, 'This project requires approvals: only an Admin may revive its features.');
      return new Versioned(version);
    },
  };
}
