import { z } from 'zod';

// This must run before any schema is created. Otherwise zod would try to compile code from text, which the page's
// security policy forbids and the browser reports.
z.config({ jitless: true });
