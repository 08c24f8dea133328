import type { Feature } from '../../types.ts';
import { type Path, pathTo } from './path.ts';

export function featurePath({ project, name }: Pick<Feature, 'project' | 'name'>): Path {
  return pathTo`api/admin/projects/${project}/features/${name}`;
}

export function strategiesPath(feature: Pick<Feature, 'project' | 'name'>, environment: string): Path {
  return pathTo`${featurePath(feature)}/environments/${environment}/strategies`;
}
