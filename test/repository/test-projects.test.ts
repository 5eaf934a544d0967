import { describe, expect, it } from 'vitest';
import { testProjects } from '../../config/test-projects.ts';
import { sourceFiles } from './source-files.ts';

const projects = testProjects();

describe('the projects of the tests', () => {
  it('have every test file once', () => {
    const files = sourceFiles(['test']).flatMap(({ path }) =>
      path.endsWith('.test.ts') ? [path] : [],
    );
    expect(Object.values(projects).flat().sort()).toEqual(files);
  });

  it('are distinguished by what a file can open', () => {
    expect(projects.process).toContain('test/crash/daemon.test.ts');
    expect(projects.wire).toContain('test/adapters/lmdb/lmdb-store.test.ts');
    expect(projects.wire).toContain('test/contracts/evm.test.ts');
    expect(projects.unit).toContain('test/repository/test-projects.test.ts');
  });
});
