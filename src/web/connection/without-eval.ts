import { z } from 'zod';

// Before any schema is made: zod would try to compile code from text, which the page's policy forbids and reports.
z.config({ jitless: true });
