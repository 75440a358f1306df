#!/usr/bin/env node
import { standIn } from "./stand-in.mjs";

standIn({ variable: "FAKE_CLAUDE", version: "9.9.9 (Claude Code)" });
