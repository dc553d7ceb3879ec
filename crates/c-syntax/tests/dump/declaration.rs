//! Declarations as text.

use super::{Dumper, Piece};
use bolide_c_syntax::ast::*;

impl<'u> Dumper<'u> {
    pub(super) fn decl(&mut self, id: DeclId, indent: usize) {
        let declaration = &self.unit.decls[id];
        self.word("(declare ");
        self.pieces.push(Piece::Specifiers(&declaration.specifiers, indent));
        for declarator in &declaration.declarators {
            self.word(" (");
            self.pieces.push(Piece::Declarator(&declarator.declarator, indent));
            if let Some(init) = declarator.initializer {
                self.word(" = ");
                self.pieces.push(Piece::Init(init, indent));
            }
            self.word(")");
        }
        self.word(")");
    }

    pub(super) fn specifiers(&mut self, specifiers: &'u Specifiers, indent: usize) {
        if let Some((storage, _)) = specifiers.storage {
            self.word(match storage {
                StorageClass::Typedef => "typedef ",
                StorageClass::Extern => "extern ",
                StorageClass::Static => "static ",
                StorageClass::Auto => "auto ",
                StorageClass::Register => "register ",
            });
        }
        for (is_set, word) in [
            (specifiers.is_thread_local, "thread-local "),
            (specifiers.is_inline, "inline "),
            (specifiers.is_noreturn, "noreturn "),
        ] {
            if is_set {
                self.word(word);
            }
        }
        for alignment in &specifiers.alignments {
            self.word("(alignas ");
            self.pieces.push(match *alignment {
                Alignment::Type(ty) => Piece::TypeName(ty, indent),
                Alignment::Expr(e) => Piece::Expr(e, indent),
            });
            self.word(") ");
        }
        self.qualifiers(specifiers.qualifiers);
        match specifiers.base {
            BaseType::Void => self.word("void"),
            BaseType::Arithmetic(ty) => {
                if ty.is_complex {
                    self.word("complex ");
                }
                self.word(arithmetic_name(ty.kind));
            }
            BaseType::ImplicitInt => self.word("implicit-int"),
            BaseType::Typedef(name) => self.name(name),
            BaseType::Record(id) => self.pieces.push(Piece::Record(id, indent)),
            BaseType::Enum(id) => self.pieces.push(Piece::Enum(id, indent)),
            BaseType::TypeofExpr { operand, unqualified } => {
                self.word(if unqualified { "(typeof-unqual " } else { "(typeof " });
                self.pieces.push(Piece::Expr(operand, indent));
                self.word(")");
            }
            BaseType::TypeofType { operand, unqualified } => {
                self.word(if unqualified { "(typeof-unqual " } else { "(typeof " });
                self.pieces.push(Piece::TypeName(operand, indent));
                self.word(")");
            }
            BaseType::Atomic(ty) => {
                self.word("(atomic ");
                self.pieces.push(Piece::TypeName(ty, indent));
                self.word(")");
            }
            BaseType::AutoType => self.word("auto-type"),
            BaseType::VaList => self.word("va-list"),
            BaseType::BitInt { width, is_unsigned } => {
                self.word(if is_unsigned { "(unsigned-bit-int " } else { "(bit-int " });
                self.pieces.push(Piece::Expr(width, indent));
                self.word(")");
            }
        }
        self.pieces.push(Piece::Attributes(&specifiers.attributes, indent));
    }

    pub(super) fn qualifiers(&mut self, qualifiers: Qualifiers) {
        for (is_set, word) in [
            (qualifiers.is_const, "const "),
            (qualifiers.is_volatile, "volatile "),
            (qualifiers.is_restrict, "restrict "),
            (qualifiers.is_atomic, "atomic "),
        ] {
            if is_set {
                self.word(word);
            }
        }
    }

    pub(super) fn derived(&mut self, derived: &'u [Derived], indent: usize) {
        for step in derived {
            self.word(" ");
            match &step.kind {
                DerivedKind::Pointer { qualifiers, attributes } => {
                    self.qualifiers(*qualifiers);
                    self.word("ptr");
                    self.pieces.push(Piece::Attributes(attributes, indent));
                }
                DerivedKind::Array { size, qualifiers, is_static } => {
                    if *is_static {
                        self.word("static ");
                    }
                    self.qualifiers(*qualifiers);
                    match size {
                        ArraySize::Unspecified => self.word("array ?"),
                        ArraySize::Star => self.word("array *"),
                        ArraySize::Expr(size) => {
                            self.word("array ");
                            self.pieces.push(Piece::Expr(*size, indent));
                        }
                    }
                }
                DerivedKind::Function(id) => self.pieces.push(Piece::Params(*id, indent)),
            }
        }
    }

    pub(super) fn params(&mut self, id: ParamsId, indent: usize) {
        self.word("(fn");
        match &self.unit.params[id].kind {
            ParametersKind::Unspecified => self.word(" ?"),
            ParametersKind::Names(names) => {
                self.word(" names");
                for &(name, _) in names {
                    self.word(" ");
                    self.name(name);
                }
            }
            ParametersKind::Prototype { parameters, is_variadic } => {
                for parameter in parameters {
                    self.word(if parameter.is_forward { " (forward " } else { " (" });
                    self.pieces.push(Piece::Declarator(&parameter.declarator, indent));
                    self.word(": ");
                    self.pieces.push(Piece::Specifiers(&parameter.specifiers, indent));
                    self.word(")");
                }
                if *is_variadic {
                    self.word(" ...");
                }
            }
        }
        self.word(")");
    }

    pub(super) fn record(&mut self, id: RecordId, indent: usize) {
        let record = &self.unit.records[id];
        self.word(match record.kind {
            RecordKind::Struct => "(struct",
            RecordKind::Union => "(union",
        });
        if let Some((tag, _)) = record.tag {
            self.word(" ");
            self.name(tag);
        }
        if let Some(pack) = record.pack {
            self.text(format!(" (pack {pack})"));
        }
        self.pieces.push(Piece::Attributes(&record.attributes, indent));
        if let Some(members) = &record.members {
            self.word(" {");
            for member in members {
                self.pieces.push(Piece::Line(indent + 1));
                match member {
                    Member::StaticAssert(assert) => {
                        self.pieces.push(Piece::StaticAssert(*assert, indent + 1));
                    }
                    Member::Fields(line) => {
                        self.word("(field ");
                        self.pieces.push(Piece::Specifiers(&line.specifiers, indent + 1));
                        for field in &line.fields {
                            self.word(" (");
                            self.pieces.push(Piece::Declarator(&field.declarator, indent + 1));
                            if let Some(width) = field.width {
                                self.word(" : ");
                                self.pieces.push(Piece::Expr(width, indent + 1));
                            }
                            self.word(")");
                        }
                        self.word(")");
                    }
                }
            }
            self.word("}");
        }
        self.word(")");
    }

    pub(super) fn enumeration(&mut self, id: EnumId, indent: usize) {
        let specifier = &self.unit.enums[id];
        self.word("(enum");
        if let Some((tag, _)) = specifier.tag {
            self.word(" ");
            self.name(tag);
        }
        if let Some(ty) = specifier.underlying {
            self.word(" ");
            self.pieces.push(Piece::TypeName(ty, indent));
        }
        self.pieces.push(Piece::Attributes(&specifier.attributes, indent));
        if let Some(enumerators) = &specifier.enumerators {
            self.word(" {");
            for (i, enumerator) in enumerators.iter().enumerate() {
                self.word(if i == 0 { "" } else { " " });
                self.name(enumerator.name);
                self.pieces.push(Piece::Attributes(&enumerator.attributes, indent));
                if let Some(value) = enumerator.value {
                    self.word("=");
                    self.pieces.push(Piece::Expr(value, indent));
                }
            }
            self.word("}");
        }
        self.word(")");
    }

    pub(super) fn attributes(&mut self, attributes: &'u [Attribute], indent: usize) {
        for attribute in attributes {
            self.word(" @");
            self.name(attribute.name);
            if attribute.arguments.is_empty() {
                continue;
            }
            for (i, argument) in attribute.arguments.iter().enumerate() {
                self.word(if i == 0 { "(" } else { " " });
                self.pieces.push(match *argument {
                    AttributeArgument::Expr(e) => Piece::Expr(e, indent),
                    AttributeArgument::Type(ty) => Piece::TypeName(ty, indent),
                });
            }
            self.word(")");
        }
    }

    pub(super) fn designators(&mut self, designators: &'u [Designator], indent: usize) {
        for designator in designators {
            match designator.kind {
                DesignatorKind::Field(field) => {
                    self.word(".");
                    self.name(field);
                }
                DesignatorKind::Index(index) => {
                    self.word("[");
                    self.pieces.push(Piece::Expr(index, indent));
                    self.word("]");
                }
                DesignatorKind::Range(low, high) => {
                    self.word("[");
                    self.pieces.push(Piece::Expr(low, indent));
                    self.word(" ... ");
                    self.pieces.push(Piece::Expr(high, indent));
                    self.word("]");
                }
            }
        }
    }

    pub(super) fn init(&mut self, id: InitId, indent: usize) {
        match &self.unit.inits[id].kind {
            InitializerKind::Expr(e) => self.pieces.push(Piece::Expr(*e, indent)),
            InitializerKind::List(items) => {
                self.word("{");
                for (i, item) in items.iter().enumerate() {
                    self.word(if i == 0 { "" } else { " " });
                    if !item.designators.is_empty() {
                        self.pieces.push(Piece::Designators(&item.designators, indent));
                        self.word("=");
                    }
                    self.pieces.push(Piece::Init(item.value, indent));
                }
                self.word("}");
            }
        }
    }
}

fn arithmetic_name(kind: ArithmeticKind) -> &'static str {
    match kind {
        ArithmeticKind::Bool => "bool",
        ArithmeticKind::Char => "char",
        ArithmeticKind::SignedChar => "signed-char",
        ArithmeticKind::UnsignedChar => "unsigned-char",
        ArithmeticKind::Short => "short",
        ArithmeticKind::UnsignedShort => "unsigned-short",
        ArithmeticKind::Int => "int",
        ArithmeticKind::UnsignedInt => "unsigned-int",
        ArithmeticKind::Long => "long",
        ArithmeticKind::UnsignedLong => "unsigned-long",
        ArithmeticKind::LongLong => "long-long",
        ArithmeticKind::UnsignedLongLong => "unsigned-long-long",
        ArithmeticKind::Int128 => "int128",
        ArithmeticKind::UnsignedInt128 => "unsigned-int128",
        ArithmeticKind::Float => "float",
        ArithmeticKind::Double => "double",
        ArithmeticKind::LongDouble => "long-double",
        ArithmeticKind::Float16 => "float16",
        ArithmeticKind::Float32 => "float32",
        ArithmeticKind::Float64 => "float64",
        ArithmeticKind::Float128 => "float128",
        ArithmeticKind::Float32x => "float32x",
        ArithmeticKind::Float64x => "float64x",
        ArithmeticKind::Decimal32 => "decimal32",
        ArithmeticKind::Decimal64 => "decimal64",
        ArithmeticKind::Decimal128 => "decimal128",
    }
}
