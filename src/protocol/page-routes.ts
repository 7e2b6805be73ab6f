import { z } from 'zod';
import { PushKey, PushSubscriber, PushSubscription } from './push.ts';
import type { RouteRow } from './route.ts';
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
    response: NewSignIn,
    errors: ['link_expired', 'too_many_attempts', 'unauthorized'],
  },
  challenge: {
    method: 'post',
    path: '/sign-in/challenge',
    who: 'open',
    summary: 'Prove to a browser that this is the server it signed in to',
    body: Challenge,
    response: ChallengeAnswer,
  },
  pass: {
    method: 'post',
    path: '/sign-in/pass',
    who: 'open',
    summary:
      'Prove that this browser has signed in; the server returns and sets the pass that requests carry in addition to the cookie',
    body: PassRequest,
    response: Pass,
    errors: ['unauthorized'],
  },
  signedIn: {
    method: 'get',
    path: '/sign-in',
    who: 'session',
    summary: 'Whether this client is signed in',
    response: SignedIn,
  },
  signOut: {
    method: 'delete',
    path: '/sign-in',
    who: 'person',
    summary: 'Sign out this browser',
    response: z.object({ status: z.literal('signed_out') }),
  },
  createSignInLink: {
    method: 'post',
    path: '/sign-in/links',
    who: 'person',
    summary: 'Create a link that signs in one browser, once',
    success: 201,
    response: SignInLink,
  },
  pushKey: {
    method: 'get',
    path: '/push',
    who: 'session',
    summary: 'The public key (VAPID) with which a browser subscribes to notifications',
    response: PushKey,
  },
  subscribePush: {
    method: 'post',
    path: '/push/subscriptions',
    who: 'person',
    summary: 'Send a notification to this browser each time a session starts to need a person',
    body: PushSubscription,
    success: 201,
    response: z.object({ status: z.literal('subscribed') }),
  },
  unsubscribePush: {
    method: 'post',
    path: '/push/unsubscribe',
    who: 'person',
    summary: 'Stop sending notifications to this browser',
    body: PushSubscriber,
    response: z.object({ status: z.literal('unsubscribed') }),
  },
} as const satisfies Record<string, RouteRow>;
