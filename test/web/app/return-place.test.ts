import { describe, expect, it } from 'vitest';
import { placeAfterSignIn, signInPath } from '../../../src/web/app/return-place.ts';

describe('after a sign-in the browser goes', () => {
  it('back to the page it began at, with its query', () => {
    expect(placeAfterSignIn('/confirm?order=cnf_1')).toBe('/confirm?order=cnf_1');
  });

  it('from one way of signing in to another, still to the page it came from', () => {
    const social = signInPath('/sign-in/social', '/confirm?order=cnf_1');
    const other = signInPath('/sign-in', social);
    expect([placeAfterSignIn(social), placeAfterSignIn(other)]).toEqual([
      '/confirm?order=cnf_1',
      '/confirm?order=cnf_1',
    ]);
  });

  it.each([
    '/sign-in',
    '/sign-in/social?to=',
    '/sign-in/social?to=https://evil.example/confirm',
    '/sign-in/social?to=//evil.example/confirm',
    '/sign-in/social?to=/\\evil.example/confirm',
    '/sign-in/social?to=javascript:alert(1)',
    '/sign-in/social?to=/api/user/keys/',
    '/sign-in/social?to=/sign-in/google',
    '//[',
  ])('home from %s, which names no page of the app', (here) => {
    expect(placeAfterSignIn(here)).toBe('/');
  });

  it('home from a sign-in page that was opened by itself, whose address stays short', () => {
    expect(signInPath('/sign-in/social', '/')).toBe('/sign-in/social');
  });
});
