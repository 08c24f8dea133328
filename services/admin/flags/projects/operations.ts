import { compileGuard } from '#base/schema';
import { type Operation, withBody } from '../../http/operation.ts';
import {
  type NewEnvironment,
  type NewProject,
  environmentSchema,
  environmentsSchema,
  newEnvironmentSchema,
  newProjectSchema,
  projectSchema,
  projectsSchema,
} from './schema.ts';
import type { Environments, Projects } from './store.ts';

const PROJECT = {
  id: 'default',
  name: 'Default',
  description: null,
  createdAt: '2026-11-21T10:15:00.000Z',
};
const ENVIRONMENT = { name: 'production', type: 'production', enabled: true, sortOrder: 3 };

export function projectOperations(projects: Projects): Operation[] {
  return [
    {
      id: 'listProjects',
      scope: 'visible',
      method: 'get',
      path: '/api/admin/projects',
      tag: 'Projects',
      summary: 'The projects',
      permission: 'READ',
      answer: {
        status: 200,
        description: 'The projects.',
        schema: projectsSchema,
        example: { version: 1, projects: [PROJECT] },
      },
      run: async ({ visible }) => ({ version: 1, projects: await projects.list(visible) }),
    },
    {
      id: 'createProject',
      scope: 'installation',
      method: 'post',
      path: '/api/admin/projects',
      tag: 'Projects',
      summary: 'Create a project',
      permission: 'ADMIN',
      body: { schema: newProjectSchema, example: { id: 'shop', name: 'The shop' } },
      answer: { status: 201, description: 'The new project.', schema: projectSchema, example: PROJECT },
      problems: [409],
      run: withBody(compileGuard<NewProject>(newProjectSchema), ({ caller }, project) =>
        projects.create(project, caller),
      ),
    },
  ];
}

export function environmentOperations(environments: Environments): Operation[] {
  return [
    {
      id: 'listEnvironments',
      scope: 'shared',
      method: 'get',
      path: '/api/admin/environments',
      tag: 'Projects',
      summary: 'All environments',
      permission: 'READ',
      answer: {
        status: 200,
        description: 'The environments.',
        schema: environmentsSchema,
        example: { version: 1, environments: [ENVIRONMENT] },
      },
      run: async () => ({ version: 1, environments: await environments.list() }),
    },
    {
      id: 'createEnvironment',
      scope: 'installation',
      method: 'post',
      path: '/api/admin/environments',
      tag: 'Projects',
      summary: 'Create an environment',
      permission: 'ADMIN',
      body: { schema: newEnvironmentSchema, example: { name: 'staging', type: 'preproduction' } },
      answer: {
        status: 201,
        description: 'The new environment.',
        schema: environmentSchema,
        example: ENVIRONMENT,
      },
      problems: [409],
      run: withBody(compileGuard<NewEnvironment>(newEnvironmentSchema), ({ caller }, environment) =>
        environments.create(environment, caller),
      ),
    },
  ];
}
