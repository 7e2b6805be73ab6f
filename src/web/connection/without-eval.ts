import { z } from 'zod';

// This must run before any schema is created. zod would otherwise try to compile code from text, which the page's
// policy forbids and reports.
z.config({ jitless: true });
