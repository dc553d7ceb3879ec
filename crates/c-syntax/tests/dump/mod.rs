//! Prints a tree as text, for tests and for looking at.
//!
//! Everything is in prefix form. Statements and file-scope items take a line
//! each; types are in angle brackets: the base type, then what is derived from
//! it, read from the name outwards, so that `char *(*)[3]` is
//! `<char: ptr array 3 ptr>`. Like all that walks a tree, this is a loop over an explicit
//! stack of what is still to be printed.

mod declaration;

use bolide_c_syntax::ast::*;

/// The whole unit as text.
pub fn dump(unit: &TranslationUnit) -> String {
    let mut dumper = Dumper { unit, out: String::new(), pieces: Vec::new() };
    let mut stack = Vec::new();
    for item in &unit.items {
        stack.push(Piece::Item(item));
        dumper.run(&mut stack);
        dumper.out.push('\n');
    }
    for annotation in &unit.annotations {
        dumper.out += &format!("(annotation {:?})\n", annotation.text);
    }
    for pragma in &unit.pragmas {
        dumper.out += &format!("(pragma {:?})\n", pragma.text);
    }
    dumper.out
}

/// Lines are indented by at most this many levels, lest the text of a deep
/// tree grow with the square of its depth.
const MAX_INDENT: usize = 40;

/// What is still to be printed. Numbers are levels of indentation.
enum Piece<'u> {
    Static(&'static str),
    Text(String),
    Line(usize),
    Item(&'u Item),
    Expr(ExprId, usize),
    Stmt(StmtId, usize),
    Decl(DeclId, usize),
    Init(InitId, usize),
    TypeName(TypeNameId, usize),
    Specifiers(&'u Specifiers, usize),
    Declarator(&'u Declarator, usize),
    Derived(&'u [Derived], usize),
    Params(ParamsId, usize),
    Record(RecordId, usize),
    Enum(EnumId, usize),
    Attributes(&'u [Attribute], usize),
    Designators(&'u [Designator], usize),
    StaticAssert(StaticAssert, usize),
    Asm(AsmId, usize),
}

struct Dumper<'u> {
    unit: &'u TranslationUnit,
    out: String,
    /// What the piece at hand consists of, in order.
    pieces: Vec<Piece<'u>>,
}

impl<'u> Dumper<'u> {
    fn run(&mut self, stack: &mut Vec<Piece<'u>>) {
        while let Some(piece) = stack.pop() {
            self.print(piece);
            stack.extend(self.pieces.drain(..).rev());
        }
    }

    fn word(&mut self, text: &'static str) {
        self.pieces.push(Piece::Static(text));
    }

    fn text(&mut self, text: impl Into<String>) {
        self.pieces.push(Piece::Text(text.into()));
    }

    fn name(&mut self, symbol: Symbol) {
        let name = self.unit.name(symbol).to_owned();
        self.text(name);
    }

    fn exprs(&mut self, head: &'static str, operands: &[ExprId], indent: usize) {
        self.word("(");
        self.word(head);
        for &operand in operands {
            self.word(" ");
            self.pieces.push(Piece::Expr(operand, indent));
        }
        self.word(")");
    }

    fn print(&mut self, piece: Piece<'u>) {
        match piece {
            Piece::Static(text) => self.out += text,
            Piece::Text(text) => self.out += &text,
            Piece::Line(indent) => {
                self.out.push('\n');
                self.out.extend(std::iter::repeat_n("  ", indent.min(MAX_INDENT)));
            }
            Piece::Item(item) => match item.kind {
                ItemKind::Function(id) => self.function(id, 0),
                ItemKind::Declaration(id) => self.pieces.push(Piece::Decl(id, 0)),
                ItemKind::Asm(id) => self.pieces.push(Piece::Asm(id, 0)),
                ItemKind::StaticAssert(assert) => self.pieces.push(Piece::StaticAssert(assert, 0)),
            },
            Piece::Expr(id, indent) => self.expr(id, indent),
            Piece::Stmt(id, indent) => self.stmt(id, indent),
            Piece::Decl(id, indent) => self.decl(id, indent),
            Piece::Init(id, indent) => self.init(id, indent),
            Piece::TypeName(id, indent) => {
                let ty = &self.unit.type_names[id];
                self.word("<");
                self.pieces.push(Piece::Specifiers(&ty.specifiers, indent));
                if !ty.declarator.derived.is_empty() {
                    self.word(":");
                }
                self.pieces.push(Piece::Derived(&ty.declarator.derived, indent));
                self.word(">");
            }
            Piece::Specifiers(specifiers, indent) => self.specifiers(specifiers, indent),
            Piece::Declarator(declarator, indent) => {
                match declarator.name {
                    Some(name) => self.name(name),
                    None => self.word("_"),
                }
                self.pieces.push(Piece::Derived(&declarator.derived, indent));
                if let Some(label) = declarator.asm_label {
                    let text = self.unit.strings[label].text();
                    self.text(format!(" (asm {text:?})"));
                }
                self.pieces.push(Piece::Attributes(&declarator.attributes, indent));
            }
            Piece::Derived(derived, indent) => self.derived(derived, indent),
            Piece::Params(id, indent) => self.params(id, indent),
            Piece::Record(id, indent) => self.record(id, indent),
            Piece::Enum(id, indent) => self.enumeration(id, indent),
            Piece::Attributes(attributes, indent) => self.attributes(attributes, indent),
            Piece::Designators(designators, indent) => self.designators(designators, indent),
            Piece::StaticAssert(assert, indent) => {
                self.word("(static-assert ");
                self.pieces.push(Piece::Expr(assert.condition, indent));
                if let Some(message) = assert.message {
                    let text = self.unit.strings[message].text();
                    self.text(format!(" {text:?}"));
                }
                self.word(")");
            }
            Piece::Asm(id, indent) => self.asm(id, indent),
        }
    }

    fn function(&mut self, id: FunctionId, indent: usize) {
        let function = &self.unit.functions[id];
        self.word("(function ");
        self.pieces.push(Piece::Specifiers(&function.specifiers, indent + 1));
        self.word(" ");
        self.pieces.push(Piece::Declarator(&function.declarator, indent + 1));
        for &declaration in &function.parameter_declarations {
            self.pieces.push(Piece::Line(indent + 1));
            self.pieces.push(Piece::Decl(declaration, indent + 1));
        }
        self.child(function.body, indent);
        self.word(")");
    }

    fn asm(&mut self, id: AsmId, indent: usize) {
        let asm = &self.unit.asms[id];
        self.word("(asm");
        for (is_set, word) in [
            (asm.is_volatile, " volatile"),
            (asm.is_inline, " inline"),
            (asm.is_goto, " goto"),
            (asm.is_basic, " basic"),
        ] {
            if is_set {
                self.word(word);
            }
        }
        self.text(format!(" {:?}", self.unit.strings[asm.template].text()));
        for (head, operands) in [(" (out", &asm.outputs), (" (in", &asm.inputs)] {
            for operand in operands {
                self.word(head);
                if let Some(name) = operand.name {
                    self.word(" ");
                    self.name(name);
                }
                self.text(format!(" {:?} ", self.unit.strings[operand.constraint].text()));
                self.pieces.push(Piece::Expr(operand.value, indent));
                self.word(")");
            }
        }
        for &clobber in &asm.clobbers {
            self.text(format!(" (clobber {:?})", self.unit.strings[clobber].text()));
        }
        for &(label, _) in &asm.labels {
            self.word(" (label ");
            self.name(label);
            self.word(")");
        }
        self.word(")");
    }

    /// A statement on a line of its own, one level deeper.
    fn child(&mut self, id: StmtId, indent: usize) {
        self.pieces.push(Piece::Line(indent + 1));
        self.pieces.push(Piece::Stmt(id, indent + 1));
    }

    fn stmt(&mut self, id: StmtId, indent: usize) {
        match &self.unit.stmts[id].kind {
            StmtKind::Empty => self.word("(empty)"),
            StmtKind::Expr(e) => self.pieces.push(Piece::Expr(*e, indent)),
            StmtKind::Compound(items) => {
                self.word("(block");
                for &item in items {
                    self.child(item, indent);
                }
                self.word(")");
            }
            StmtKind::Declaration(id) => self.pieces.push(Piece::Decl(*id, indent)),
            StmtKind::Function(id) => self.function(*id, indent),
            StmtKind::StaticAssert(assert) => {
                self.pieces.push(Piece::StaticAssert(*assert, indent));
            }
            StmtKind::LocalLabels(labels) => {
                self.word("(local-labels");
                for &(label, _) in labels {
                    self.word(" ");
                    self.name(label);
                }
                self.word(")");
            }
            StmtKind::If { condition, then, otherwise } => {
                self.word("(if ");
                self.pieces.push(Piece::Expr(*condition, indent));
                self.child(*then, indent);
                if let Some(otherwise) = otherwise {
                    self.child(*otherwise, indent);
                }
                self.word(")");
            }
            StmtKind::While { condition, body } => {
                self.word("(while ");
                self.pieces.push(Piece::Expr(*condition, indent));
                self.child(*body, indent);
                self.word(")");
            }
            StmtKind::DoWhile { body, condition } => {
                self.word("(do-while");
                self.child(*body, indent);
                self.pieces.push(Piece::Line(indent + 1));
                self.pieces.push(Piece::Expr(*condition, indent + 1));
                self.word(")");
            }
            StmtKind::For { init, condition, step, body } => {
                self.word("(for ");
                match init {
                    Some(init) => self.pieces.push(Piece::Stmt(*init, indent)),
                    None => self.word("_"),
                }
                for part in [condition, step] {
                    self.word("; ");
                    match part {
                        Some(e) => self.pieces.push(Piece::Expr(*e, indent)),
                        None => self.word("_"),
                    }
                }
                self.child(*body, indent);
                self.word(")");
            }
            StmtKind::Switch { value, body } => {
                self.word("(switch ");
                self.pieces.push(Piece::Expr(*value, indent));
                self.child(*body, indent);
                self.word(")");
            }
            StmtKind::Case { low, high, body } => {
                self.word("(case ");
                self.pieces.push(Piece::Expr(*low, indent));
                if let Some(high) = high {
                    self.word(" ... ");
                    self.pieces.push(Piece::Expr(*high, indent));
                }
                self.child(*body, indent);
                self.word(")");
            }
            StmtKind::Default { body } => {
                self.word("(default");
                self.child(*body, indent);
                self.word(")");
            }
            StmtKind::Label { name, attributes, body, .. } => {
                self.word("(label ");
                self.name(*name);
                self.pieces.push(Piece::Attributes(attributes, indent));
                self.child(*body, indent);
                self.word(")");
            }
            StmtKind::Goto { label, .. } => {
                self.word("(goto ");
                self.name(*label);
                self.word(")");
            }
            StmtKind::ComputedGoto { target } => self.exprs("goto *", &[*target], indent),
            StmtKind::Break => self.word("(break)"),
            StmtKind::Continue => self.word("(continue)"),
            StmtKind::Return(None) => self.word("(return)"),
            StmtKind::Return(Some(value)) => self.exprs("return", &[*value], indent),
            StmtKind::Asm(id) => self.pieces.push(Piece::Asm(*id, indent)),
        }
    }

    fn expr(&mut self, id: ExprId, indent: usize) {
        match &self.unit.exprs[id].kind {
            ExprKind::Name(name) => self.name(*name),
            ExprKind::Integer { value, format } => {
                let digits = match value {
                    0 => "0".to_owned(),
                    _ if format.is_decimal => value.to_string(),
                    _ => format!("{value:#x}"),
                };
                let unsigned = if format.is_unsigned { "u" } else { "" };
                let longs = &"ll"[..usize::from(format.longs)];
                let imaginary = if format.is_imaginary { "i" } else { "" };
                self.text(format!("{digits}{unsigned}{longs}{imaginary}"));
            }
            ExprKind::Float { text, suffix, is_imaginary } => {
                self.name(*text);
                self.word(float_suffix(*suffix));
                self.word(if *is_imaginary { "i" } else { "" });
            }
            ExprKind::Char { value, encoding } => {
                self.text(format!("(char {}{value})", encoding_prefix(*encoding)));
            }
            ExprKind::String(id) => {
                let literal = &self.unit.strings[*id];
                let prefix = encoding_prefix(literal.encoding).trim_end();
                self.text(format!("{prefix}{:?}", literal.text()));
            }
            ExprKind::Bool(true) => self.word("true"),
            ExprKind::Bool(false) => self.word("false"),
            ExprKind::Nullptr => self.word("nullptr"),
            ExprKind::FunctionName => self.word("__func__"),
            ExprKind::Unary { op, operand } => {
                let head = match op {
                    UnaryOp::PostIncrement => "post++",
                    UnaryOp::PostDecrement => "post--",
                    UnaryOp::Deref => "deref",
                    UnaryOp::AddressOf => "addr",
                    op => op.symbol(),
                };
                self.exprs(head, &[*operand], indent);
            }
            ExprKind::Binary { op, left, right } => {
                self.exprs(op.symbol(), &[*left, *right], indent);
            }
            ExprKind::Assign { op: None, target, value } => {
                self.exprs("=", &[*target, *value], indent);
            }
            ExprKind::Assign { op: Some(op), target, value } => {
                self.text(format!("({}= ", op.symbol()));
                self.pieces.push(Piece::Expr(*target, indent));
                self.word(" ");
                self.pieces.push(Piece::Expr(*value, indent));
                self.word(")");
            }
            ExprKind::Conditional { condition, then: Some(then), otherwise } => {
                self.exprs("?", &[*condition, *then, *otherwise], indent);
            }
            ExprKind::Conditional { condition, then: None, otherwise } => {
                self.exprs("?:", &[*condition, *otherwise], indent);
            }
            ExprKind::Comma { left, right } => self.exprs(",", &[*left, *right], indent),
            ExprKind::Cast { ty, operand } => self.typed("cast", *ty, Some(*operand), indent),
            ExprKind::CompoundLiteral { ty, init } => {
                self.word("(literal ");
                self.pieces.push(Piece::TypeName(*ty, indent));
                self.word(" ");
                self.pieces.push(Piece::Init(*init, indent));
                self.word(")");
            }
            ExprKind::SizeofExpr(operand) => self.exprs("sizeof", &[*operand], indent),
            ExprKind::SizeofType(ty) => self.typed("sizeof", *ty, None, indent),
            ExprKind::AlignofExpr(operand) => self.exprs("alignof", &[*operand], indent),
            ExprKind::AlignofType { ty, .. } => self.typed("alignof", *ty, None, indent),
            ExprKind::Call { callee, arguments } => {
                self.word("(call ");
                self.pieces.push(Piece::Expr(*callee, indent));
                for &argument in arguments {
                    self.word(" ");
                    self.pieces.push(Piece::Expr(argument, indent));
                }
                self.word(")");
            }
            ExprKind::Index { base, index } => self.exprs("index", &[*base, *index], indent),
            ExprKind::Member { base, member, is_arrow, .. } => {
                self.word(if *is_arrow { "(-> " } else { "(. " });
                self.pieces.push(Piece::Expr(*base, indent));
                self.word(" ");
                self.name(*member);
                self.word(")");
            }
            ExprKind::StmtExpr(body) => {
                self.word("(stmt-expr");
                self.child(*body, indent);
                self.word(")");
            }
            ExprKind::LabelAddress(label) => {
                self.word("(&& ");
                self.name(*label);
                self.word(")");
            }
            ExprKind::Generic { control, arms } => {
                self.word("(generic ");
                self.pieces.push(Piece::Expr(*control, indent));
                for arm in arms {
                    self.word(" (");
                    match arm.ty {
                        Some(ty) => self.pieces.push(Piece::TypeName(ty, indent)),
                        None => self.word("default"),
                    }
                    self.word(" ");
                    self.pieces.push(Piece::Expr(arm.value, indent));
                    self.word(")");
                }
                self.word(")");
            }
            ExprKind::VaArg { list, ty } => self.typed("va-arg", *ty, Some(*list), indent),
            ExprKind::Offsetof { ty, path } => {
                self.word("(offsetof ");
                self.pieces.push(Piece::TypeName(*ty, indent));
                self.word(" ");
                self.pieces.push(Piece::Designators(path, indent));
                self.word(")");
            }
            ExprKind::TypesCompatible { left, right } => {
                self.word("(types-compatible ");
                self.pieces.push(Piece::TypeName(*left, indent));
                self.word(" ");
                self.pieces.push(Piece::TypeName(*right, indent));
                self.word(")");
            }
            ExprKind::Choose { condition, then, otherwise } => {
                self.exprs("choose", &[*condition, *then, *otherwise], indent);
            }
            ExprKind::ConvertVector { operand, ty } => {
                self.typed("convert-vector", *ty, Some(*operand), indent);
            }
            ExprKind::Quantified { body, .. } => self.exprs("quantified", &[*body], indent),
        }
    }

    fn typed(&mut self, head: &'static str, ty: TypeNameId, e: Option<ExprId>, indent: usize) {
        self.word("(");
        self.word(head);
        self.word(" ");
        self.pieces.push(Piece::TypeName(ty, indent));
        if let Some(e) = e {
            self.word(" ");
            self.pieces.push(Piece::Expr(e, indent));
        }
        self.word(")");
    }
}

fn encoding_prefix(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Plain => "",
        Encoding::Utf8 => "u8 ",
        Encoding::Utf16 => "u ",
        Encoding::Utf32 => "U ",
        Encoding::Wide => "L ",
    }
}

fn float_suffix(suffix: ArithmeticKind) -> &'static str {
    match suffix {
        ArithmeticKind::Double => "",
        ArithmeticKind::Float => "f",
        ArithmeticKind::LongDouble => "l",
        ArithmeticKind::Float16 => "f16",
        ArithmeticKind::Float32 => "f32",
        ArithmeticKind::Float64 => "f64",
        ArithmeticKind::Float128 => "f128",
        ArithmeticKind::Float32x => "f32x",
        ArithmeticKind::Float64x => "f64x",
        ArithmeticKind::Decimal32 => "df",
        ArithmeticKind::Decimal64 => "dd",
        ArithmeticKind::Decimal128 => "dl",
        other => panic!("{other:?} is no floating type"),
    }
}
