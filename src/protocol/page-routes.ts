import { z } from 'zod';
import { PushKey, PushSubscriber, PushSubscription } from './push.ts';
import type { Route } from './route.ts';
import { Challenge, ChallengeAnswer, NewSignIn, Pass, PassRequest, SignedIn, SignIn, SignInLink } from './sign-in.ts';

/**
 * The routes that only browsers need: for signing in, and for notifications that arrive even while the page is closed.
 */
export const PAGE_ROUTES = {
  signIn: {
    method: 'post',
    path: '/sign-in',
    who: 'open',
    summary:
      "Sign in a browser with the code from a link or with the token; sets the web page's cookie and returns its key",
    body: SignIn,
    success: 200,
    response: NewSignIn,
    errors: ['link_expired', 'too_many_attempts', 'unauthorized'],
  },
  challenge: {
    method: 'post',
    path: '/sign-in/challenge',
    who: 'open',
    summary: 'Prove to a browser that this is the server it signed in to',
    body: Challenge,
    success: 200,
    response: ChallengeAnswer,
    errors: [],
  },
  pass: {
    method: 'post',
    path: '/sign-in/pass',
    who: 'open',
    summary:
      'Prove that this browser has signed in; the server returns and sets the pass that requests carry in addition to the cookie',
    body: PassRequest,
    success: 200,
    response: Pass,
    errors: ['unauthorized'],
  },
  signedIn: {
    method: 'get',
    path: '/sign-in',
    who: 'session',
    summary: 'Whether this client is signed in',
    success: 200,
    response: SignedIn,
    errors: [],
  },
  signOut: {
    method: 'delete',
    path: '/sign-in',
    who: 'person',
    summary: 'Sign out this browser',
    success: 200,
    response: z.object({ status: z.literal('signed_out') }),
    errors: [],
  },
  createSignInLink: {
    method: 'post',
    path: '/sign-in/links',
    who: 'person',
    summary: 'Create a link that signs in one browser, once',
    success: 201,
    response: SignInLink,
    errors: [],
  },
  pushKey: {
    method: 'get',
    path: '/push',
    who: 'session',
    summary: 'The public key (VAPID) with which a browser subscribes to notifications',
    success: 200,
    response: PushKey,
    errors: [],
  },
  subscribePush: {
    method: 'post',
    path: '/push/subscriptions',
    who: 'person',
    summary: 'Send a notification to this browser each time a session starts to need a person',
    body: PushSubscription,
    success: 201,
    response: z.object({ status: z.literal('subscribed') }),
    errors: [],
  },
  unsubscribePush: {
    method: 'post',
    path: '/push/unsubscribe',
    who: 'person',
    summary: 'Stop sending notifications to this browser',
    body: PushSubscriber,
    success: 200,
    response: z.object({ status: z.literal('unsubscribed') }),
    errors: [],
  },
} as const satisfies Record<string, Route>;
