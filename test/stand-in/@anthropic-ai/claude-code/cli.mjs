#!/usr/bin/env node
// The stand-in for Claude Code: see test/stand-in/README.md. CBOS tells Claude Code from a program that starts it by
// this path, which is that of the npm package up to version 1.0.
import '../../main.mjs';
