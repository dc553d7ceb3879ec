//! Contracts: ACSL in comments, and CBMC's clauses behind declarators and heads of loops.
//!
//! A comment is lexed again and its terms go through the parser of expressions, which knows `==>`, `<==>`, `a .. b` and
//! quantifiers; `\word` is one name, which no program has. A comment whose first word is none of ACSL's is not meant for us; one that
//! is and cannot be read is kept with the reason ([`Contracts::misread`](crate::ast::Contracts)). Types have the names of the file scope.

use super::stacks::{Operand, Operator};
use super::state::{Failed, Parsed, Parser};
use crate::ast::*;
use crate::lexer;
use crate::token::{Keywords, Token, TokenKind};
use bolide_base::{Diagnostic, Span};

/// Words that ACSL's clauses begin with; after `for` comes the name of a behavior.
const WORDS: [&str; 29] = [
    "requires",
    "ensures",
    "assigns",
    "assumes",
    "behavior",
    "complete",
    "disjoint",
    "loop",
    "assert",
    "check",
    "admit",
    "assume",
    "predicate",
    "logic",
    "terminates",
    "decreases",
    "frees",
    "allocates",
    "ghost",
    "axiomatic",
    "lemma",
    "inductive",
    "exits",
    "breaks",
    "continues",
    "returns",
    "for",
    "invariant",
    "field",
];

/// Words before `invariant` that make it one of the program or of a type.
const INVARIANTS: [&str; 4] = ["global", "type", "strong", "weak"];

/// A behavior: its name and what it assumes.
type Behavior = (Symbol, Vec<ExprId>);

impl Parser<'_> {
    /// Reads all annotations, when everything else is parsed.
    pub(super) fn annotations(&mut self, keywords: &Keywords) {
        let annotations = std::mem::take(&mut self.unit.annotations);
        let program = std::mem::take(&mut self.tokens);
        for (comment, annotation) in annotations.iter().enumerate() {
            let mut words =
                annotation.text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let is_clause = |word: &str| {
                WORDS.contains(&word)
                    || INVARIANTS.contains(&word) && annotation.text.contains("invariant")
            };
            let is_ours = words.find(|w| !w.is_empty()).is_some_and(is_clause)
                && annotation
                    .text
                    .trim_start_matches([' ', '\t', '\n', '\r', '@'])
                    .starts_with(|c: char| c.is_ascii_alphabetic());
            if !is_ours {
                continue;
            }
            // `/*@` or `//@` come before the text.
            let base = annotation.span.start + 3;
            let text = annotation.text.replace("...", "   ").replace("..", "::").replace('@', " ");
            let lexed = lexer::lex(&text, base, &mut self.unit.names, keywords);
            self.tokens = self.with_words(&lexed.tokens);
            self.at = 0;
            let (count, errors) = (self.diagnostics.len(), self.errors);
            let (clauses, definitions) =
                (self.unit.contracts.clauses.len(), self.unit.contracts.definitions.len());
            let next = program.partition_point(|t| t.start < annotation.span.end);
            let owner = (annotation.span.start, program[next.min(program.len() - 1)].start);
            let parsed = self.annotation(owner);
            let said = self.diagnostics.drain(count..).next();
            self.errors = errors;
            if parsed.is_err() || said.is_some() {
                let why = said.unwrap_or_else(|| {
                    Diagnostic::error(annotation.span, "an annotation that is not understood")
                });
                let why =
                    Diagnostic { message: format!("in an annotation: {}", why.message), ..why };
                self.unit.contracts.misread.push((comment, why));
                self.unit.contracts.clauses.truncate(clauses);
                self.unit.contracts.definitions.truncate(definitions);
            }
        }
        self.unit.annotations = annotations;
        self.unit.contracts.clauses.sort_by_key(|clause| clause.span.start);
    }

    /// The tokens with `\word` as one name.
    fn with_words(&mut self, tokens: &[Token]) -> Vec<Token> {
        let mut out: Vec<Token> = Vec::new();
        for &token in tokens {
            match out.last_mut() {
                Some(last)
                    if last.kind == TokenKind::Bad
                        && last.end == token.start
                        && token.kind == TokenKind::Identifier
                        && self.token_text(*last) == "\\" =>
                {
                    let word = format!("\\{}", self.unit.name(token.symbol));
                    let symbol = self.unit.names.intern(&word);
                    *last = Token { start: last.start, symbol, ..token };
                }
                _ => out.push(token),
            }
        }
        out
    }

    /// Takes the current token if it is this word.
    fn accept_word(&mut self, word: &str) -> bool {
        let token = self.token();
        let is_word = self.token_text(token) == word;
        self.at += usize::from(is_word && token.kind != TokenKind::Eof);
        is_word
    }

    fn not_supported<T>(&mut self, what: &str) -> Parsed<T> {
        let span = self.token().span();
        self.diagnostics.push(Diagnostic::unsupported(span, what));
        Err(Failed)
    }

    /// All clauses of a comment, which stands at the first place, before what begins at the second.
    fn annotation(&mut self, (here, owner): (u32, u32)) -> Parsed<()> {
        let mut behaviors: Vec<Behavior> = Vec::new();
        while !self.at(TokenKind::Eof) {
            let start = self.token().start;
            let word = self.token_text(self.token()).to_owned();
            let kind = match word.as_str() {
                "requires" => ClauseKind::Requires,
                "ensures" => ClauseKind::Ensures,
                "assigns" => ClauseKind::Assigns,
                "assert" | "check" => ClauseKind::Assert,
                "admit" | "assume" => ClauseKind::Assume,
                "loop" => {
                    self.advance();
                    match self.token_text(self.token()) {
                        "invariant" => ClauseKind::LoopInvariant,
                        "assigns" => ClauseKind::LoopAssigns,
                        "variant" => ClauseKind::LoopVariant,
                        _ => return self.not_supported("this clause of a loop is"),
                    }
                }
                "behavior" => {
                    self.advance();
                    behaviors.push((self.identifier()?.0, Vec::new()));
                    self.expect(TokenKind::Colon)?;
                    continue;
                }
                "assumes" => {
                    self.advance();
                    let condition = self.condition()?;
                    match behaviors.last_mut() {
                        Some((_, assumes)) => assumes.push(condition),
                        None => return Err(self.expected("a `behavior` before `assumes`")),
                    }
                    continue;
                }
                "complete" | "disjoint" => {
                    self.about_behaviors(word == "complete", &behaviors, owner)?;
                    continue;
                }
                "predicate" | "logic" => {
                    self.definition(word == "logic")?;
                    continue;
                }
                word if WORDS.contains(&word) || INVARIANTS.contains(&word) => {
                    return self.not_supported(&format!("`{word}` in annotations is"));
                }
                _ => return Err(self.expected("a clause of ACSL")),
            };
            self.advance();
            let terms = match kind {
                ClauseKind::Assigns | ClauseKind::LoopAssigns => self.places()?,
                _ => vec![self.condition()?],
            };
            let assumes = match behaviors.last() {
                Some((_, assumes)) if kind.is_of_function() => assumes.clone(),
                _ => Vec::new(),
            };
            if kind == ClauseKind::Assigns && !assumes.is_empty() {
                return self.not_supported("`assigns` of a behavior is");
            }
            let owner =
                if matches!(kind, ClauseKind::Assert | ClauseKind::Assume) { here } else { owner };
            let span = self.span_from(start);
            self.unit.contracts.clauses.push(Clause {
                kind,
                terms,
                assumes,
                is_acsl: true,
                owner,
                span,
            });
        }
        Ok(())
    }

    /// A condition or term up to its `;`, perhaps behind a name for it.
    fn condition(&mut self) -> Parsed<ExprId> {
        if self.at(TokenKind::Identifier)
            && self.peek(1).kind == TokenKind::Colon
            && self.peek(2).kind != TokenKind::Colon
        {
            self.at += 2;
        }
        let condition = self.assignment()?;
        self.expect(TokenKind::Semicolon)?;
        Ok(condition)
    }

    fn places(&mut self) -> Parsed<Vec<ExprId>> {
        if self.accept_word("\\nothing") {
            self.expect(TokenKind::Semicolon)?;
            return Ok(Vec::new());
        }
        let places = self.list(Self::assignment)?;
        if self.token_text(self.token()) == "\\from" {
            return self.not_supported("`\\from` is");
        }
        self.expect(TokenKind::Semicolon)?;
        Ok(places)
    }

    /// `complete behaviors a, b;` and `disjoint behaviors a, b;`.
    fn about_behaviors(
        &mut self,
        complete: bool,
        behaviors: &[Behavior],
        owner: u32,
    ) -> Parsed<()> {
        let start = self.advance().start;
        if !self.accept_word("behaviors") {
            return Err(self.expected("`behaviors`"));
        }
        let mut meant: Vec<&Behavior> = Vec::new();
        while !self.at(TokenKind::Semicolon) {
            let name = self.identifier()?.0;
            let Some(found) = behaviors.iter().find(|b| b.0 == name) else {
                return Err(self.expected("the name of a behavior before"));
            };
            meant.push(found);
            self.accept(TokenKind::Comma);
        }
        self.advance();
        if meant.is_empty() {
            meant.extend(behaviors);
        }
        let span = self.span_from(start);
        let mut assumed: Vec<ExprId> = Vec::new();
        for (_, assumes) in meant {
            let Some((&first, rest)) = assumes.split_first() else {
                return self.not_supported("a behavior without `assumes` among these is");
            };
            let both = |p: &mut Self, left, right| {
                p.expr(ExprKind::Binary { op: BinaryOp::LogicalAnd, left, right }, span).id
            };
            assumed.push(rest.iter().fold(first, |all, &next| both(self, all, next)));
        }
        let mut terms = Vec::new();
        if complete {
            let one = |p: &mut Self, left, right| {
                p.expr(ExprKind::Binary { op: BinaryOp::LogicalOr, left, right }, span).id
            };
            let mut all = assumed.into_iter();
            let first = all.next();
            terms.extend(first.map(|first| all.fold(first, |a, b| one(self, a, b))));
        } else {
            for (i, &left) in assumed.iter().enumerate() {
                for &right in &assumed[..i] {
                    let both = ExprKind::Binary { op: BinaryOp::LogicalAnd, left, right };
                    let operand = self.expr(both, span).id;
                    terms.push(self.expr(ExprKind::Unary { op: UnaryOp::Not, operand }, span).id);
                }
            }
        }
        for term in terms {
            let (kind, terms, assumes) = (ClauseKind::Claims, vec![term], Vec::new());
            self.unit.contracts.clauses.push(Clause {
                kind,
                terms,
                assumes,
                is_acsl: true,
                owner,
                span,
            });
        }
        Ok(())
    }

    /// `predicate p(int *a, integer n) = e;` and `logic integer f(integer n) = e;`.
    fn definition(&mut self, has_type: bool) -> Parsed<()> {
        let start = self.advance().start;
        if has_type && !self.accept_word("integer") && !self.accept_word("boolean") {
            self.type_name()?;
        }
        let (name, _) = self.identifier()?;
        if self.accept(TokenKind::LeftBrace).is_some() {
            // The state in which it is read: one, and its name does not matter.
            self.identifier()?;
            self.expect(TokenKind::RightBrace)?;
        }
        let mut parameters = Vec::new();
        if self.accept(TokenKind::LeftParen).is_some() {
            parameters = self.list_while(|p| !p.at(TokenKind::RightParen), |p| p.binder(None))?;
            self.expect(TokenKind::RightParen)?;
        }
        self.expect(TokenKind::Equal)?;
        let body = self.condition()?;
        let span = self.span_from(start);
        self.unit.contracts.definitions.push(LogicDefinition { name, parameters, body, span });
        Ok(())
    }

    /// A type and a name; without a type that of the binder before.
    fn binder(&mut self, before: Option<Binder>) -> Parsed<Binder> {
        let ty = if self.accept_word("integer") {
            None
        } else if self.is_type_at(self.at) {
            Some(self.type_name()?)
        } else {
            match before {
                Some(before) => before.ty,
                None => return Err(self.expected("a type")),
            }
        };
        Ok(Binder { ty, name: self.identifier()?.0 })
    }

    /// A quantifier, where one begins.
    pub(super) fn quantifier(&mut self) -> Parsed<Option<ExprKind>> {
        let text = self.token_text(self.token());
        let (is_forall, in_braces) = match text {
            "\\forall" => (true, false),
            "\\exists" => (false, false),
            "__CPROVER_forall" => (true, true),
            "__CPROVER_exists" => (false, true),
            _ => return Ok(None),
        };
        self.advance();
        if in_braces {
            self.expect(TokenKind::LeftBrace)?;
        }
        let mut binders: Vec<Binder> = Vec::new();
        loop {
            binders.push(self.binder(binders.last().copied())?);
            if self.accept(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect(TokenKind::Semicolon)?;
        let body = self.assignment()?;
        if in_braces {
            self.accept(TokenKind::Semicolon);
            self.expect(TokenKind::RightBrace)?;
        }
        Ok(Some(ExprKind::Quantified { is_forall, binders: binders.into(), body }))
    }

    /// An operator of contracts at the current token, and how many tokens it takes.
    pub(super) fn logical_operator(&self) -> Option<(Operator, usize)> {
        let is = |kinds: &[TokenKind]| {
            let joined = |(i, &kind): (usize, &TokenKind)| {
                self.peek(i).kind == kind && (i == 0 || self.peek(i - 1).end == self.peek(i).start)
            };
            kinds.iter().enumerate().all(joined).then_some(kinds.len())
        };
        use TokenKind::{Colon, Equal, EqualEqual, Greater, LessEqual};
        match self.kind() {
            EqualEqual => is(&[EqualEqual, Greater]).map(|n| (Operator::Implication, n)),
            LessEqual => is(&[LessEqual, Equal, Greater]).map(|n| (Operator::Equivalence, n)),
            Colon => is(&[Colon, Colon]).map(|n| (Operator::Range, n)),
            _ => None,
        }
    }

    /// What such an operator means.
    pub(super) fn logical(
        &mut self,
        operator: Operator,
        left: Operand,
        right: Operand,
    ) -> ExprKind {
        let not = |p: &mut Self, operand: Operand| {
            p.expr(ExprKind::Unary { op: UnaryOp::Not, operand: operand.id }, operand.span).id
        };
        match operator {
            Operator::Implication => {
                let left = not(self, left);
                ExprKind::Binary { op: BinaryOp::LogicalOr, left, right: right.id }
            }
            Operator::Equivalence => {
                let (left, right) = (not(self, left), not(self, right));
                ExprKind::Binary { op: BinaryOp::Eq, left, right }
            }
            _ => {
                let name = self.unit.names.intern("\\range");
                let callee = self.expr(ExprKind::Name(name), left.span).id;
                ExprKind::Call { callee, arguments: [left.id, right.id].into() }
            }
        }
    }

    /// CBMC's clauses, as many as follow, about what begins at `owner`.
    pub(super) fn cbmc_clauses(&mut self, owner: u32) -> Parsed<()> {
        while self.at(TokenKind::Identifier) && self.peek(1).kind == TokenKind::LeftParen {
            let kind = match self.token_text(self.token()) {
                "__CPROVER_requires" => ClauseKind::Requires,
                "__CPROVER_ensures" => ClauseKind::Ensures,
                "__CPROVER_assigns" => ClauseKind::Assigns,
                "__CPROVER_loop_invariant" => ClauseKind::LoopInvariant,
                "__CPROVER_decreases" => ClauseKind::LoopVariant,
                "__CPROVER_frees" => return self.not_supported("`__CPROVER_frees` is"),
                _ => break,
            };
            let start = self.advance().start;
            let groups = self.in_parentheses(|p| match kind {
                ClauseKind::Assigns => p.groups_of_places(),
                _ => Ok(vec![(Vec::new(), vec![p.expression()?])]),
            })?;
            let span = self.span_from(start);
            for (assumes, terms) in groups {
                let clause = Clause { kind, terms, assumes, is_acsl: false, owner, span };
                self.unit.contracts.clauses.push(clause);
            }
        }
        Ok(())
    }

    /// Places that CBMC's `assigns` names, in groups, of which each may have a condition: `*p; q != 0: *q, q->next`.
    fn groups_of_places(&mut self) -> Parsed<Vec<(Vec<ExprId>, Vec<ExprId>)>> {
        let begins = |p: &Self| !p.at(TokenKind::RightParen) && !p.at(TokenKind::Semicolon);
        let mut groups = Vec::new();
        loop {
            let mut places = self.list_while(begins, Self::assignment)?;
            let mut assumes = Vec::new();
            if places.len() == 1 && self.accept(TokenKind::Colon).is_some() {
                assumes =
                    std::mem::replace(&mut places, self.list_while(begins, Self::assignment)?);
            }
            groups.push((assumes, places));
            if self.accept(TokenKind::Semicolon).is_none() {
                return Ok(groups);
            }
        }
    }

    /// `__CPROVER_assigns` behind the head of a loop is about the loop.
    pub(super) fn cbmc_loop_clauses(&mut self, owner: u32) -> Parsed<()> {
        let first = self.unit.contracts.clauses.len();
        self.cbmc_clauses(owner)?;
        for clause in &mut self.unit.contracts.clauses[first..] {
            if clause.kind == ClauseKind::Assigns {
                clause.kind = ClauseKind::LoopAssigns;
            }
        }
        Ok(())
    }

    /// Gives clauses behind a declarator to the declaration that begins at `owner`.
    pub(super) fn own_clauses(&mut self, first: usize, owner: Span) {
        for clause in &mut self.unit.contracts.clauses[first..] {
            if clause.kind.is_of_function() {
                clause.owner = owner.start;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ParseOptions, parse};
    use bolide_base::SourceMap;

    /// The clauses that are understood, and why others are not.
    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let mut sources = SourceMap::new();
        let start = sources.add("test.c", text.to_owned()).expect("it is small");
        let result = parse(&mut sources, start, &ParseOptions::default());
        assert!(!result.has_errors());
        let contracts = result.unit.contracts;
        let kinds = contracts.clauses.iter().map(|c| format!("{:?} {}", c.kind, c.terms.len()));
        (kinds.collect(), contracts.misread.into_iter().map(|(_, d)| d.message).collect())
    }

    #[test]
    fn clauses_of_both_notations_are_read() {
        let (clauses, misread) = read(
            "typedef int t;\n/*@ requires name: (x ==> y) && 0 <= (t)x < 3; assigns a[0 .. 2], *p;\n\
             behavior b: assumes x; ensures \\forall integer i; 0 <= i < 3 ==> \\result <==> i; */\n\
             int f(int x);\n\
             int g(int x) __CPROVER_requires(x ==> x) __CPROVER_assigns();\n\
             int h(int x) { while (x) __CPROVER_loop_invariant(x) __CPROVER_assigns(x) x--; return 0; }\n\
             int i(int *x) __CPROVER_assigns(*x; x != 0: x[1], x[2]);\n",
        );
        let expected = [
            "Requires 1",
            "Assigns 2",
            "Ensures 1",
            "Requires 1",
            "Assigns 0",
            "LoopInvariant 1",
            "LoopAssigns 1",
            "Assigns 1",
            "Assigns 2",
        ];
        assert_eq!((clauses, misread), (expected.map(str::to_owned).to_vec(), Vec::new()));
    }

    #[test]
    fn what_is_not_understood_is_told_and_other_comments_are_not_ours() {
        let (clauses, misread) = read("/*@ requires x > 0 ensures y; */ int f(int x);\n");
        assert_eq!(misread, ["in an annotation: expected `;`, found `ensures`"]);
        assert!(clauses.is_empty());
        let (clauses, misread) = read("//@ loop pragma UNROLL 3;\nint x; /*@null@*/ char *p;\n");
        assert_eq!((clauses.len(), misread.len()), (0, 1));
    }
}
